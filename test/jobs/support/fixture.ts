import type { TestContext } from 'node:test';
import type { Operation } from '../../../server/compute/simulator/sentinels.ts';
import type { SimulatorOptions } from '../../../server/compute/simulator/simulator.ts';
import { type Database, sql } from '../../../server/db/database.ts';
import { SimulatorGuests } from '../../../server/db/queries/hosts/simulator-guests.ts';
import type { JobRow } from '../../../server/db/queries/service/jobs.ts';
import { disownJobs } from '../../../server/db/queries/service/owned-jobs.ts';
import { addressesOf } from '../../../server/db/queries/vms/addresses.ts';
import { findReservation } from '../../../server/db/queries/vms/reservations.ts';
import { systemFindVm } from '../../../server/db/queries/vms/vms.ts';
import type { StepHook } from '../../../server/jobs/execution.ts';
import { defer } from '../../support/cleanup.ts';
import { freshDatabase } from '../../support/database.ts';
import { UnsteadyClock } from '../../support/unsteady-clock.ts';
import { type Call, type Customer, openCustomer } from './customer.ts';
import { type Installation, openInstallation, type TestNode, unfinishedJobs } from './installation.ts';

const DAY_MS = 86_400_000;
/** An owner that holds no lock, as a killed node leaves behind. */
const DEAD_NODE = 4711n;
const FUNDS = 100_00n;

/** The faults during a job. A step's hook returns "crash" to end the node there, or throws. */
export interface Trouble {
  step?: (point: Parameters<StepHook>[0]) => 'crash' | undefined;
  /** Called for every change of a guest with the number of earlier changes. Throws to make the engine fail. */
  engine?: (before: number, operation: Operation) => void;
}

/** An installation in which jobs run one at a time and fail on request. */
export class Fixture {
  readonly installation: Installation;
  readonly clock: UnsteadyClock;
  trouble: Trouble = {};
  #operations = 0;
  #node: TestNode | undefined;
  #crash: Promise<void> | undefined;

  /** `start` is the clock's initial time, such as "2026-01-31T12:00:00Z". */
  static async open(t: TestContext, start?: string, simulator?: Partial<SimulatorOptions>): Promise<Fixture> {
    const db = await freshDatabase(t);
    const faults = (operation: Operation) => fixture.#engine(operation);
    const clock = new UnsteadyClock(start);
    const fixture: Fixture = new Fixture(
      await openInstallation(db, { clock, simulator: { ...simulator, faults } }),
      clock,
    );
    defer(t, () => fixture.installation.close());
    return fixture;
  }

  private constructor(installation: Installation, clock: UnsteadyClock) {
    this.installation = installation;
    this.clock = clock;
  }

  get db() {
    return this.installation.services.db;
  }

  /**
   * Creates `count` identical new customers. Unless `before` is "none", each has a VM in that state that was bought ten
   * days ago, with a snapshot if requested, after which the content of its disk has changed.
   */
  async scenes(
    count: number,
    before: 'none' | 'running' | 'stopped',
    snapshot: boolean,
  ): Promise<Scenario[]> {
    const scenes: Scenario[] = [];
    for (let n = 0; n < count; n++) {
      const customer = await openCustomer(this.installation, FUNDS);
      const scenario: Scenario = { customer, vmId: null, snapshotId: null };
      scenes.push(scenario);
      if (before === 'none') continue;
      const body = { ...PURCHASE, start: before === 'running' };
      await this.play(scenario, { method: 'POST', path: '/v1/vm', body });
      await this.#write(scenario, 'first');
      if (snapshot) await this.play(scenario, { method: 'POST', path: `/v1/vm/${scenario.vmId}/snapshots` });
      await this.#write(scenario, 'second');
    }
    this.installation.services.clock.advance(10 * DAY_MS);
    return scenes;
  }

  /** Makes a call that starts a job, runs the job to completion under `trouble`, and returns the ended job. */
  async play(scenario: Scenario, call: Call | Order, trouble: Trouble = {}): Promise<JobRow> {
    const id = typeof call === 'function' ? await this.#order(call) : await this.#call(scenario, call);
    this.trouble = trouble;
    this.#operations = 0;
    await this.finish();
    this.trouble = {};
    const [row] = await this.db.query<JobRow>(sql`select * from jobs where id = ${id}`);
    return row!;
  }

  async #order(order: Order): Promise<string> {
    return (await order(this.installation.services)).job.job_id;
  }

  async #call(scenario: Scenario, call: Call): Promise<string> {
    const { vm, job, snapshot } = await scenario.customer.must(call);
    scenario.vmId = vm?.id ?? scenario.vmId;
    scenario.snapshotId ??= snapshot?.id ?? null;
    return job.id;
  }

  /** Writes a text to the disk of the scene's guest. */
  async #write({ vmId }: Scenario, text: string): Promise<void> {
    await this.db.query(sql`
      insert into simulator_files (guest_id, path, kind, owner, mode, size, content, modified_at)
      values (${vmId}, '/root/text', 'file', 'root', 420, ${text.length}, ${Buffer.from(text)}, now())
      on conflict (guest_id, path) do update set content = excluded.content, size = excluded.size`);
  }

  /** Runs all jobs to completion; a crashed node is replaced by another. */
  async finish(): Promise<void> {
    while ((await unfinishedJobs(this.db)).length > 0) {
      if (this.#crash) await this.#bury();
      this.#node ??= await this.installation.openNode((point) => this.#step(point));
      const { runner } = this.#node;
      // Time stands still here: a missing node is gone for good, and jobs waiting for a retry are retried at once.
      await disownJobs(this.db, DEAD_NODE);
      await this.db.query(sql`update jobs set next_attempt_at = null where next_attempt_at is not null`);
      for (const id of await unfinishedJobs(this.db)) await runner.runToEnd(id);
    }
  }

  #step(point: Parameters<StepHook>[0]): void {
    if (this.trouble.step?.(point) !== 'crash') return;
    this.#crash = this.#node!.stop();
    throw new Error('the node crashes');
  }

  #engine(operation: Operation): void {
    this.trouble.engine?.(this.#operations++, operation);
  }

  /** An orderly stop releases jobs, a crash does not: then the other nodes have to find out. */
  async #bury(): Promise<void> {
    await this.#crash;
    this.#crash = undefined;
    this.#node = undefined;
    await this.db.query(sql`update jobs set owner = ${DEAD_NODE}::bigint where status = 'running'`);
  }
}

export type Order = (services: Installation['services']) => Promise<{ job: { job_id: string } }>;

export interface Scenario {
  customer: Customer;
  vmId: string | null;
  snapshotId: string | null;
}

/** The purchase: the VM that the stage prepares and the `create` job creates. */
export const PURCHASE = {
  plan: 's2',
  template: 'debian-12',
  hostname: 'web',
  password: 'correct-horse-battery',
};

/**
 * Returns everything that a job may change of a customer, a VM and its guest, without ids, so that two states can be
 * compared.
 */
export async function stateOf({ installation }: Fixture, { customer, vmId }: Scenario) {
  const { db, compute } = installation.services;
  const { available_minor, held_minor } = await customer.wallet();
  const orders = await db.query<{ kind: string; status: string; amount_minor: bigint }>(sql`
    select kind, status, amount_minor from orders where account_id = ${customer.accountId} order by kind, status`);
  const vm = vmId === null ? undefined : await systemFindVm(db, vmId);
  if (!vm) return { wallet: { available_minor, held_minor }, orders };
  const inside = await new SimulatorGuests(db).readGuest(vm.id);
  const guest = inside && {
    ...(await compute.inspect(vm.id)),
    id: undefined,
    addresses: undefined,
    snapshotIds: Object.keys(inside.snapshots).length,
    keys: inside.authorizedKeys,
    users: Object.keys(inside.passwords),
    network: inside.network,
    text: await textOf(db, vm.id),
    disks: await keptDisks(db, vm.id),
  };
  const snapshots = await db.query<{ status: string }>(
    sql`select status from snapshots where vm_id = ${vm.id} order by status`,
  );
  const addresses = (await addressesOf(db, vm.id)).length;
  // A grown disk cannot have shrunk again.
  const { disk_gb, ...reserved } = (await findReservation(db, vm.id)) ?? {};
  // The seal depends on the ids.
  const { id, account_id, mac, active_job_id, last_job_id, seal, ...rest } = vm as typeof vm & {
    seal?: Buffer;
  };
  return {
    wallet: { available_minor, held_minor },
    orders,
    vm: { ...rest, locked: active_job_id !== null },
    events: await eventTypes(db, vm.id),
    guest,
    snapshots: snapshots.map(({ status }) => status),
    addresses,
    reserved,
  };
}

/** Returns the text that {@link Fixture.scenes} left on the guest's disk; null if it is not there. */
async function textOf(db: Database, vmId: string): Promise<string | null> {
  const [file] = await db.query<{ content: Uint8Array }>(
    sql`select content from simulator_files where guest_id = ${vmId} and path = '/root/text'`,
  );
  return file ? Buffer.from(file.content).toString() : null;
}

/** Returns how many disks the engine keeps for the guest, for example for its snapshots. */
async function keptDisks(db: Database, vmId: string): Promise<number> {
  const rows = await db.query(sql`select name from simulator_disks where guest_id = ${vmId}`);
  return rows.length;
}

async function eventTypes(db: Database, vmId: string): Promise<string[]> {
  const rows = await db.query<{ type: string }>(
    sql`select type from events where vm_id = ${vmId} order by type`,
  );
  return rows.map(({ type }) => type);
}

export type State = Awaited<ReturnType<typeof stateOf>>;
