import { type TestContext, test } from 'node:test';
import { DISK } from './contract-disk.ts';
import { GUEST } from './contract-guest.ts';
import { INSIDE } from './contract-inside.ts';
import { POWER } from './contract-power.ts';
import type { ComputeDriver, GuestSpec, PowerState } from './driver.ts';

/** One driver for one engine, as a contract test uses it: a plain object. */
export interface ContractSetup {
  driver: ComputeDriver;
  /** Returns a small guest for this engine, with an unused id and an agent inside. */
  spec(): GuestSpec;
  /** Same as `spec`, but its readiness check never succeeds; its agent answers. */
  unready(): GuestSpec;
  /** The user for the first login to a guest of `spec()`. */
  user: string;
  /** Waits for `work` to finish. An engine on a manual clock advances the clock until then. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass, so that running guests use resources. */
  idle(): Promise<void>;
  /** Makes a running guest ignore requests to power off. Tests of such guests are skipped without it. */
  deafen?(id: string): Promise<void>;
  /**
   * Makes a running guest, or the engine's knowledge of it, unavailable until the returned function is called. Tests of
   * such guests are skipped without it.
   */
  hide?(id: string): Promise<() => Promise<void>>;
  /** Closes the driver and opens another for the same engine, as a restart of the service does. */
  reopen(): Promise<ComputeDriver>;
  /** Releases the engine after the guests were removed. */
  close(): Promise<void>;
}

export interface ContractOptions {
  /** Called for each test. */
  open(t: TestContext): Promise<ContractSetup>;
  /** Maximum time a guest of this engine takes to power off. */
  shutdownSeconds: number;
  /** Maximum duration of a test: a few boots. */
  testTimeoutMs: number;
}

export interface Harness extends ContractSetup {
  t: TestContext;
  shutdownSeconds: number;
  /** Creates a guest, which is off; it is removed when the test ends. */
  made(overrides?: Partial<GuestSpec>): Promise<GuestSpec>;
  /** Creates a guest, starts it, and waits until it has booted. */
  booted(overrides?: Partial<GuestSpec>): Promise<GuestSpec>;
  /** Waits until a guest that is on has booted; returns its power. */
  untilUp(id: string, driver?: ComputeDriver): Promise<PowerState | 'absent'>;
  powerOf(id: string): Promise<PowerState | 'absent'>;
}

/** The promises of the contract, each with its test. */
export type ContractCases = Record<string, (harness: Harness) => Promise<void>>;

async function openHarness(t: TestContext, options: ContractOptions): Promise<Harness> {
  const setup = await options.open(t);
  const ids: string[] = [];
  const made = async (overrides?: Partial<GuestSpec>) => {
    const [host] = await setup.driver.hosts();
    const spec = { ...setup.spec(), hostId: host!.id, ...overrides };
    ids.push(spec.id);
    await setup.driver.create(spec);
    return spec;
  };
  const powerOf = async (id: string, driver = setup.driver) => (await driver.inspect(id))?.power ?? 'absent';
  const untilUp = async (id: string, driver?: ComputeDriver) => {
    for (;;) {
      const power = await powerOf(id, driver);
      if (power !== 'booting') return power;
      t.signal.throwIfAborted();
      await setup.idle();
    }
  };
  const booted = async (overrides?: Partial<GuestSpec>) => {
    const spec = await made(overrides);
    await setup.settle(setup.driver.start(spec.id));
    await untilUp(spec.id);
    return spec;
  };
  t.after(async () => {
    const driver = await setup.reopen();
    for (const id of ids) await driver.remove(id);
    await driver.close();
    await setup.close();
  });
  const { shutdownSeconds } = options;
  return { ...setup, t, shutdownSeconds, made, booted, untilUp, powerOf };
}

/** Registers the tests that every compute driver must pass. */
export function computeContract(name: string, options: ContractOptions): void {
  for (const [promise, keeps] of Object.entries({ ...GUEST, ...DISK, ...POWER, ...INSIDE })) {
    test(`${name}: ${promise}`, { timeout: options.testTimeoutMs }, async (t) => {
      await keeps(await openHarness(t, options));
    });
  }
}
