import { after } from 'node:test';
import { computeContract } from '../../server/compute/contract.ts';
import { createSimulator } from '../../server/compute/simulator/simulator.ts';
import { sql } from '../../server/db/database.ts';
import { SimulatorGuests } from '../../server/db/queries/simulator-guests.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { BOOT_SECONDS, guestSpec, MINUTE_MS, openTestDatabase, settle } from './support.ts';

const db = await openTestDatabase();
after(() => db.close());

const STOCK = { capacity: { ramMb: 65_536 }, templates: [guestSpec().template] };

computeContract('simulator', {
  shutdownSeconds: 60,
  testTimeoutMs: 120_000,
  async open() {
    const clock = new ManualClock();
    let driver = createSimulator({
      store: new SimulatorGuests(db),
      clock,
      bootSeconds: BOOT_SECONDS,
      ...STOCK,
    });
    return {
      driver,
      spec: () => guestSpec(),
      unready: () => guestSpec('sim-no-ssh'),
      user: 'debian',
      settle: (work) => settle(clock, work),
      async idle() {
        clock.advance(MINUTE_MS);
        await new Promise(setImmediate);
      },
      async deafen(id) {
        await db.query(sql`
          update simulator_guests set state = state || '{"hostname": "sim-ignores-shutdown"}' where id = ${id}`);
      },
      async hide(id) {
        const rename = (hostname: string) =>
          db.query(sql`
            update simulator_guests set state = state || jsonb_build_object('hostname', ${hostname}::text) where id = ${id}`);
        await rename('sim-out-of-sight');
        clock.advance(MINUTE_MS);
        return async () => void (await rename('web'));
      },
      async reopen() {
        await driver.close();
        driver = createSimulator({
          store: new SimulatorGuests(db),
          clock,
          bootSeconds: BOOT_SECONDS,
          ...STOCK,
        });
        return driver;
      },
      close: async () => {},
    };
  },
});
