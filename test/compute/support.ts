import type { ComputeDriver, GuestEvent, GuestSpec } from '../../server/compute/driver.ts';
import { createSimulator, type SimulatorOptions } from '../../server/compute/simulator/simulator.ts';
import type { Database } from '../../server/db/database.ts';
import { migrateUp } from '../../server/db/migrate.ts';
import { openPglite } from '../../server/db/pglite.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { newId } from '../../server/platform/ids.ts';

export const BOOT_SECONDS = 30;
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;
export const DAY_MS = 86_400_000;

/** Opens an embedded database with the schema, for all tests of a file: opening one takes seconds. */
export async function openTestDatabase(): Promise<Database> {
  const db = await openPglite(undefined);
  await migrateUp(db);
  return db;
}

/** Opens a simulator on its own clock. */
export function simulator(db: Database, options: Partial<SimulatorOptions> = {}) {
  const clock = new ManualClock();
  const driver = createSimulator({
    store: new SimulatorGuests(db),
    clock,
    bootSeconds: BOOT_SECONDS,
    ...options,
  });
  return { clock, driver };
}

/** Returns the specification of a new guest. Put sentinels into `hostname`. */
export function guestSpec(hostname = 'web', overrides: Partial<GuestSpec> = {}): GuestSpec {
  return {
    id: newId('vm', new ManualClock()),
    hostId: 'simulator',
    hostname,
    template: 'debian-13',
    region: 'fra',
    mac: '52:54:00:12:34:56',
    addresses: [{ address: '192.0.2.10', family: 4, prefix: 24, gateway: '192.0.2.1' }],
    authorizedKeys: [],
    vcpu: 2,
    ramMb: 2048,
    diskGb: 20,
    ...overrides,
  };
}

/** Advances the clock in small steps, whenever everything waits for it, until `work` has ended. */
export async function settle<T>(clock: ManualClock, work: Promise<T>): Promise<T> {
  let ended = false;
  const end = () => {
    ended = true;
  };
  work.then(end, end);
  while (!ended) {
    await new Promise(setImmediate);
    if (!ended && clock.sleeping > 0) clock.advance(500);
  }
  return work;
}

/** Lets pending work continue until everything waits for the clock. */
export async function asleep(clock: ManualClock, sleepers: number): Promise<void> {
  while (clock.sleeping < sleepers) await new Promise(setImmediate);
}

export async function booted(driver: ComputeDriver, clock: ManualClock, hostname?: string): Promise<string> {
  const spec = guestSpec(hostname);
  await driver.create(spec);
  await settle(clock, driver.start(spec.id));
  return spec.id;
}

/** Returns the driver's events while the clock advances to `until` in steps of `stepMs`. */
export async function eventsUntil(driver: ComputeDriver, clock: ManualClock, until: Date, stepMs: number) {
  const events: GuestEvent[] = [];
  const stop = driver.watch((event) => events.push(event));
  while (clock.now() < until) {
    await asleep(clock, 1);
    clock.advance(stepMs);
  }
  await asleep(clock, 1);
  stop();
  return events;
}
