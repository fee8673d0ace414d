import { CapacityError, ComputeUnavailableError } from '../../server/compute/driver.ts';
import type { Database } from '../../server/db/database.ts';
import { renewVms } from '../../server/jobs/renew-vms.ts';
import { sweep } from '../../server/jobs/sweep.ts';
import { openCustomer } from '../jobs/support/customer.ts';
import { type Installation, openInstallation, runJobs, type TestNode } from '../jobs/support/installation.ts';
import { Dice } from './dice.ts';
import { OPERATIONS, type OperationName } from './operations.ts';
import { Tenant } from './tenant.ts';

const TENANTS = 40;
/** Small enough to be reached, also by two VMs that grow at the same time. */
const QUOTA = { vms: 10, vcpu: 40 };
/** What a customer begins with, in minor units: three small VMs or one large one. */
const FIRST_FUNDS = 25_00n;
/** Operations under way at once: twice the connections that a node has to PostgreSQL. */
const LANES = 16;
/** Nodes that run jobs. */
const NODES = 2;
/** How often the engine refuses, and how often a step fails right before or after its work. */
const ENGINE_FAULT = 0.03;
const STEP_FAULT = 0.01;
/** A VM may be some periods behind after time has jumped; each round renews one. */
const CATCH_UP_ROUNDS = 3;

const WEIGHTS = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, { weight }]) => [name, weight]),
) as Record<OperationName, number>;

/** An installation in which everything happens at once. What an operation does follows from the seed and its number. */
export class World {
  readonly installation: Installation;
  readonly tenants: Tenant[] = [];
  /** What was done since {@link run} was called last, a line an operation. */
  log: string[] = [];
  readonly #seed: string;
  readonly #faults: Faults;
  readonly #nodes: TestNode[] = [];

  static async open(db: Database, seed: string): Promise<World> {
    const faults = new Faults(seed);
    // Guests take their time, so that there are jobs to be cancelled.
    const simulator = { bootSeconds: 1, shutdownSeconds: 2, faults: () => faults.engine() };
    const installation = await openInstallation(db, { simulator });
    const world = new World(seed, installation, faults);
    for (let n = 0; n < NODES; n++) world.#nodes.push(await world.#openNode());
    installation.outlet.deliver = (jobId) => world.#deliver(jobId);
    for (let n = 0; n < TENANTS; n++) {
      const customer = await openCustomer(installation, 0n, QUOTA);
      const tenant = new Tenant(customer, installation.services.clock);
      await tenant.topUp(FIRST_FUNDS, 'first');
      world.tenants.push(tenant);
    }
    return world;
  }

  private constructor(seed: string, installation: Installation, faults: Faults) {
    this.#seed = seed;
    this.installation = installation;
    this.#faults = faults;
  }

  get services(): Installation['services'] {
    return this.installation.services;
  }

  /** Some tenant, of those that are `fit` where there are such. */
  tenant(dice: Dice, fit: (tenant: Tenant) => boolean = () => true): Tenant {
    return dice.pick(this.tenants.filter(fit)) ?? dice.pick(this.tenants)!;
  }

  /** Runs the operations numbered `from` up to `to`, which is excluded, several at once. */
  async run(from: number, to: number): Promise<void> {
    this.log = [];
    let next = from;
    const failures: unknown[] = [];
    const lane = async () => {
      while (next < to && failures.length === 0) {
        await this.#operate(next++).catch((error) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    if (failures.length > 0) throw new AggregateError(failures);
  }

  /** Lets everything come to rest, with nothing failing: jobs end, and what is due is renewed or suspended. */
  async settle(): Promise<void> {
    this.#faults.enabled = false;
    await this.#runJobs();
    for (let round = 0; round < CATCH_UP_ROUNDS; round++) {
      await renewVms(this.services);
      await this.#runJobs();
    }
    await sweep(this.services);
    await this.#runJobs();
    this.#faults.enabled = true;
  }

  /** A node stops with all it has under way, and another takes its place. */
  async restartNode(): Promise<void> {
    const fresh = await this.#openNode();
    const node = this.#nodes.pop()!;
    this.#nodes.unshift(fresh);
    await node.stop();
  }

  close(): Promise<void> {
    return this.installation.close();
  }

  async #operate(number: number): Promise<void> {
    const dice = new Dice(`${this.#seed}/${number}`);
    const name = dice.weighted(WEIGHTS);
    try {
      const outcome = await OPERATIONS[name].run(this, dice, `key-${number}`);
      this.log.push(`${number} ${name} ${outcome}`);
    } catch (error) {
      throw new Error(`operation ${number}, ${name}`, { cause: error });
    }
  }

  #openNode(): Promise<TestNode> {
    return this.installation.openNode(() => this.#faults.step());
  }

  #runJobs(): Promise<void> {
    return runJobs(this.installation, this.#nodes[0]!);
  }

  /** A delivery that fails is made good by adoption. */
  #deliver(jobId: string): void {
    const { runner } = this.#faults.dice.pick(this.#nodes)!;
    runner.deliver(jobId).catch(() => {});
  }
}

/** What goes wrong by itself. */
class Faults {
  enabled = true;
  readonly dice: Dice;

  constructor(seed: string) {
    this.dice = new Dice(`${seed}/faults`);
  }

  engine(): void {
    if (!this.#strikes(ENGINE_FAULT)) return;
    throw this.dice.pick([
      new ComputeUnavailableError('away'),
      new CapacityError('full'),
      new Error('broken'),
    ]);
  }

  step(): void {
    if (this.#strikes(STEP_FAULT)) throw new Error('a fault of the simulation');
  }

  #strikes(probability: number): boolean {
    return this.enabled && this.dice.chance(probability);
  }
}
