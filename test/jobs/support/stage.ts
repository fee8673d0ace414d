import type { TestContext } from 'node:test';
import type { Operation } from '../../../server/compute/simulator/sentinels.ts';
import { readGuest } from '../../../server/compute/simulator/store.ts';
import { type Database, sql } from '../../../server/db/database.ts';
import { addressesOf } from '../../../server/db/queries/addresses.ts';
import type { JobRow } from '../../../server/db/queries/jobs.ts';
import { systemFindVm } from '../../../server/db/queries/vms.ts';
import { adoptJobs } from '../../../server/jobs/adopt-jobs.ts';
import type { StepHook } from '../../../server/jobs/execution.ts';
import { ManualClock } from '../../../server/platform/clock.ts';
import { defer } from '../../support/cleanup.ts';
import { freshDatabase } from '../../support/database.ts';
import { type Call, type Customer, openCustomer } from './customer.ts';
import { type Installation, openInstallation, type TestNode, unfinishedJobs } from './installation.ts';

const DAY_MS = 86_400_000;
/** An owner that holds no lock: what a node that was killed leaves behind. */
const DEAD_NODE = 4711n;
const FUNDS = 100_00n;

/** What goes wrong while a job runs. A step's hook says "crash" to end the node there, or throws. */
export interface Trouble {
  step?: (point: Parameters<StepHook>[0]) => 'crash' | undefined;
  /** Called for every change of a guest, with the number of those before it. Throws to let the engine fail. */
  engine?: (before: number, operation: Operation) => void;
}

/** A place where jobs run one at a time, and where things go wrong when told to. */
export class Stage {
  readonly installation: Installation;
  trouble: Trouble = {};
  #operations = 0;
  #node: TestNode | undefined;
  #crash: Promise<void> | undefined;

  /** `start` is where its clock stands, such as "2026-01-31T12:00:00Z". */
  static async open(t: TestContext, start?: string): Promise<Stage> {
    const db = await freshDatabase(t);
    const faults = (operation: Operation) => stage.#engine(operation);
    const clock = new ManualClock(start);
    const stage: Stage = new Stage(await openInstallation(db, { clock, simulator: { faults } }));
    defer(t, () => stage.installation.close());
    return stage;
  }

  private constructor(installation: Installation) {
    this.installation = installation;
  }

  get db() {
    return this.installation.services.db;
  }

  /**
   * That many new customers, all alike. Unless `before` is "none" each has a VM in that state, which was bought
   * ten days ago, with a snapshot if asked for.
   */
  async scenes(count: number, before: 'none' | 'running' | 'stopped', snapshot: boolean): Promise<Scene[]> {
    const scenes: Scene[] = [];
    for (let n = 0; n < count; n++) {
      const customer = await openCustomer(this.installation, FUNDS);
      const scene: Scene = { customer, vmId: null, snapshotId: null };
      scenes.push(scene);
      if (before === 'none') continue;
      const body = { ...PURCHASE, start: before === 'running' };
      await this.play(scene, { method: 'POST', path: '/v1/vm', body });
      if (snapshot) await this.play(scene, { method: 'POST', path: `/v1/vm/${scene.vmId}/snapshots` });
    }
    this.installation.services.clock.advance(10 * DAY_MS);
    return scenes;
  }

  /** Makes a call that starts a job, and lets the job run to its end under `trouble`. The job as it ended. */
  async play(scene: Scene, call: Call, trouble: Trouble = {}): Promise<JobRow> {
    const { vm, job, snapshot } = await scene.customer.must(call);
    scene.vmId = vm?.id ?? scene.vmId;
    scene.snapshotId ??= snapshot?.id ?? null;
    this.trouble = trouble;
    this.#operations = 0;
    await this.finish();
    this.trouble = {};
    const [row] = await this.db.query<JobRow>(sql`select * from jobs where id = ${job.id}`);
    return row!;
  }

  /** Runs all jobs to their ends; a node that crashed is followed by another. */
  async finish(): Promise<void> {
    while ((await unfinishedJobs(this.db)).length > 0) {
      if (this.#crash) await this.#bury();
      this.#node ??= await this.installation.openNode((point) => this.#step(point));
      const { runner } = this.#node;
      await adoptJobs(this.db, (jobId) => runner.runToEnd(jobId));
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

  /** An orderly stop gives jobs back, which a crash does not: then it is for others to find out. */
  async #bury(): Promise<void> {
    await this.#crash;
    this.#crash = undefined;
    this.#node = undefined;
    await this.db.query(sql`update jobs set owner = ${DEAD_NODE}::bigint where status = 'running'`);
  }
}

export interface Scene {
  customer: Customer;
  vmId: string | null;
  snapshotId: string | null;
}

/** What is bought: the VM that the stage prepares, and what the `create` job makes. */
export const PURCHASE = {
  plan: 's2',
  template: 'debian-12',
  hostname: 'web',
  password: 'correct-horse-battery',
};

/** Everything that a job may change of a customer, a VM and its guest, without ids: two of them can be compared. */
export async function stateOf({ installation }: Stage, { customer, vmId }: Scene) {
  const { db, compute } = installation.services;
  const { available_minor, held_minor } = await customer.wallet();
  const orders = await db.query<{ kind: string; status: string; amount_minor: bigint }>(sql`
    select kind, status, amount_minor from orders where account_id = ${customer.accountId} order by kind, status`);
  const vm = vmId === null ? undefined : await systemFindVm(db, vmId);
  if (!vm) return { wallet: { available_minor, held_minor }, orders };
  const inside = await readGuest(db, vm.id);
  const guest = inside && {
    ...(await compute.inspect(vm.id)),
    id: undefined,
    snapshotIds: Object.keys(inside.snapshots).length,
    keys: inside.authorizedKeys,
    users: Object.keys(inside.passwords),
    network: inside.network,
  };
  const snapshots = await db.query<{ status: string }>(
    sql`select status from snapshots where vm_id = ${vm.id} order by status`,
  );
  const addresses = (await addressesOf(db, vm.id)).length;
  const { id, account_id, mac, active_job_id, last_job_id, ...rest } = vm;
  return {
    wallet: { available_minor, held_minor },
    orders,
    vm: { ...rest, locked: active_job_id !== null },
    events: await eventTypes(db, vm.id),
    guest,
    snapshots: snapshots.map(({ status }) => status),
    addresses,
  };
}

async function eventTypes(db: Database, vmId: string): Promise<string[]> {
  const rows = await db.query<{ type: string }>(
    sql`select type from events where vm_id = ${vmId} order by type`,
  );
  return rows.map(({ type }) => type);
}

export type State = Awaited<ReturnType<typeof stateOf>>;
