import { computeContract } from '../../server/compute/contract.ts';
import type { ComputeDriver, GuestSpec } from '../../server/compute/driver.ts';
import { type Database, sql } from '../../server/db/database.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { guestSpec, MINUTE_MS, settle } from './support.ts';

interface SimulatedKind {
  db: Database;
  open(clock: ManualClock): ComputeDriver;
  /** Differences from the usual guest, if any. */
  place?: Partial<GuestSpec>;
}

/** Runs the contract against a driver with simulated guests, on a manual clock. */
export function simulatedContract(name: string, { db, open, place = {} }: SimulatedKind): void {
  computeContract(name, {
    shutdownSeconds: 60,
    testTimeoutMs: 120_000,
    async open() {
      const clock = new ManualClock();
      let driver = open(clock);
      return {
        driver,
        spec: () => guestSpec('web', place),
        unready: () => guestSpec('sim-no-ssh', place),
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
          driver = open(clock);
          return driver;
        },
        close: async () => {},
      };
    },
  });
}
