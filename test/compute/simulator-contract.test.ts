import { after } from 'node:test';
import { computeContract } from '../../server/compute/contract.ts';
import { createSimulator } from '../../server/compute/simulator/simulator.ts';
import { sql } from '../../server/db/database.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { BOOT_SECONDS, guestSpec, MINUTE_MS, openTestDatabase, settle } from './support.ts';

const db = await openTestDatabase();
after(() => db.close());

computeContract('simulator', {
  shutdownSeconds: 60,
  testTimeoutMs: 20_000,
  async open() {
    const clock = new ManualClock();
    let driver = createSimulator({ db, clock, bootSeconds: BOOT_SECONDS });
    return {
      driver,
      spec: () => guestSpec(),
      user: 'debian',
      settle: (work) => settle(clock, work),
      idle: async () => clock.advance(MINUTE_MS),
      async deafen(id) {
        await db.query(sql`
          update simulator_guests set state = state || '{"hostname": "sim-ignores-shutdown"}' where id = ${id}`);
      },
      async reopen() {
        await driver.close();
        driver = createSimulator({ db, clock, bootSeconds: BOOT_SECONDS });
        return driver;
      },
      close: async () => {},
    };
  },
});
