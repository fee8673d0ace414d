import { type TestContext, test } from 'node:test';
import { DISK } from './contract-disk.ts';
import { GUEST } from './contract-guest.ts';
import { INSIDE } from './contract-inside.ts';
import { POWER } from './contract-power.ts';
import type { ComputeDriver, GuestSpec, PowerState } from './driver.ts';

/** One driver over one engine, as a test of the contract uses it: a plain object. */
export interface ContractSetup {
  driver: ComputeDriver;
  /** A small guest of this engine, with an id that was never used and an agent inside. */
  spec(): GuestSpec;
  /** The same, in which nothing answers that would tell that it is ready; its agent does. */
  unready(): GuestSpec;
  /** Who logs in first to a guest of `spec()`. */
  user: string;
  /** Sees `work`, an operation that waits, through to its end; an engine on a manual clock steps it meanwhile. */
  settle<T>(work: Promise<T>): Promise<T>;
  /** Lets time pass for running guests, so that they use something. */
  idle(): Promise<void>;
  /** Makes a running guest deaf to requests to power off. Promises about such guests are skipped without it. */
  deafen?(id: string): Promise<void>;
  /**
   * Makes a running guest, or what is known of it, unable to answer until the returned function is called. Promises about
   * such guests are skipped without it.
   */
  hide?(id: string): Promise<() => Promise<void>>;
  /** Closes the driver and opens another over the same engine, as a restart of the service does. */
  reopen(): Promise<ComputeDriver>;
  /** Releases the engine, after the guests were removed. */
  close(): Promise<void>;
}

export interface ContractOptions {
  /** Called for each test. */
  open(t: TestContext): Promise<ContractSetup>;
  /** How long a guest of this engine may take to power off. */
  shutdownSeconds: number;
  /** How long a test may take: a few boots. */
  testTimeoutMs: number;
}

export interface Harness extends ContractSetup {
  t: TestContext;
  shutdownSeconds: number;
  /** Makes a guest, off; it is removed when the test ends. */
  made(overrides?: Partial<GuestSpec>): Promise<GuestSpec>;
  /** Makes a guest, starts it, and waits until it has booted. */
  booted(overrides?: Partial<GuestSpec>): Promise<GuestSpec>;
  /** Waits until a guest that is on has booted; returns its power. */
  untilUp(id: string, driver?: ComputeDriver): Promise<PowerState | 'absent'>;
  powerOf(id: string): Promise<PowerState | 'absent'>;
}

/** One line of the contract, and the test of it. */
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

/** Registers the tests that every compute driver passes. */
export function computeContract(name: string, options: ContractOptions): void {
  for (const [promise, keeps] of Object.entries({ ...GUEST, ...DISK, ...POWER, ...INSIDE })) {
    test(`${name}: ${promise}`, { timeout: options.testTimeoutMs }, async (t) => {
      await keeps(await openHarness(t, options));
    });
  }
}
