import type { ComputeDriver } from '../compute/driver.ts';
import type { Database } from '../db/database.ts';
import {
  type EngineVms,
  setPlace,
  takeUnmadeVms,
  vmsOfOtherEngines,
  vmsWithoutPlace,
} from '../db/queries/hosts/engines.ts';
import type { Clock } from '../platform/clock.ts';
import { ConfigError } from '../platform/config-error.ts';
import { HeldLock } from './held-lock.ts';

/** Shared by nodes whose guests every node can reach; held exclusively by a node with guests of its own. */
const ENGINE_LOCK = 7226_0007;
/** The database session of a killed node may outlive it for a moment. */
const TRIES = 20;
const RETRY_MS = 250;

/**
 * For each reach of an engine: the setting by which its guests are found, where they are, and what an operator does
 * if they are not there.
 */
const WAYS = {
  this_node: {
    setting: 'VAUBAN_DATA_DIR',
    place: 'in this data directory',
    remedy: (id: string | undefined) =>
      `mount or name ${id ? `the one whose engine.id is ${id}` : 'the one they are in'}`,
  },
  every_node: {
    setting: 'VAUBAN_INCUS_ENDPOINTS',
    place: 'in this cluster',
    remedy: (id: string | undefined) =>
      `name members of ${id ? `the one whose user.vauban.cluster is ${id}` : 'the one they are in'}`,
  },
};

export interface ClaimParts {
  db: Database;
  clock: Clock;
  compute: ComputeDriver;
  /** Why this engine was chosen, for an operator who expected another. */
  reason: string;
}

/**
 * This node's right to drive guests. An engine that did not create a VM's guest does not know it and would report it
 * as absent: removed, off, without rules. So each VM names its engine, an engine does not start if the database has
 * VMs of another one, and an engine whose guests no other node can reach is the only one on its database.
 */
export class EngineClaim {
  /** The value recorded with VMs made here: the engine's name, and the place of its guests if it has one. */
  readonly engine: string;
  /** True if no other node can reach this node's guests. */
  readonly isAlone: boolean;
  readonly #parts: ClaimParts;
  readonly #lock: HeldLock;
  #refusal: string | undefined;

  private constructor(parts: ClaimParts, place: string | null) {
    this.engine = place === null ? parts.compute.name : `${parts.compute.name}:${place}`;
    this.isAlone = parts.compute.capabilities().reach === 'this_node';
    this.#parts = parts;
    this.#lock = new HeldLock(parts.db, ENGINE_LOCK, { shared: !this.isAlone });
  }

  /** Throws {@link ConfigError} if VMs belong to another engine, or another node drives them. */
  static async take(parts: ClaimParts): Promise<EngineClaim> {
    const { db, clock, compute } = parts;
    const place = await compute.place().catch((error) => {
      throw new ConfigError([`${WAYS[compute.capabilities().reach].setting}: ${error.message}`]);
    });
    const claim = new EngineClaim(parts, place);
    for (let left = TRIES; !(await claim.#lock.holds()); left--) {
      if (left === 0) throw new ConfigError([`VAUBAN_COMPUTE: ${OTHER_NODE}; stop it first`]);
      await clock.sleep(RETRY_MS);
    }
    if (place !== null) await claim.#findPlace();
    await takeUnmadeVms(db, claim.engine);
    const problems = await claim.#foreignVms();
    if (problems.length === 0) return claim;
    await claim.leave();
    throw new ConfigError(problems);
  }

  /** Why the engine must not be used now, or undefined. */
  get refusal(): string | undefined {
    return this.#refusal;
  }

  /**
   * Checks that the claim still holds, and claims again after its session was lost. Throws while the database is
   * unavailable.
   */
  async hold(): Promise<void> {
    if (!(await this.#lock.holds())) this.#refusal = OTHER_NODE;
    // In the meantime the other node may have sold VMs.
    else if (this.#refusal !== undefined) this.#refusal = (await this.#foreignVms())[0];
  }

  leave(): Promise<void> {
    return this.#lock.leave();
  }

  /** VMs of a release that did not record places belong here if any of their guests is here. */
  async #findPlace(): Promise<void> {
    const { db, compute } = this.#parts;
    const ids = await vmsWithoutPlace(db, compute.name);
    if (ids.length === 0) return;
    const guests = new Set((await compute.list()).map(({ id }) => id));
    if (ids.some((id) => guests.has(id))) await setPlace(db, compute.name, this.engine);
  }

  async #foreignVms(): Promise<string[]> {
    return (await vmsOfOtherEngines(this.#parts.db, this.engine)).map((found) => this.#problem(found));
  }

  #problem({ engine, vms }: EngineVms): string {
    const { compute, reason } = this.#parts;
    const [name, place] = engine.split(':');
    const count = vms === 1 ? '1 VM' : `${vms} VMs`;
    if (name === compute.name) {
      const way = WAYS[compute.capabilities().reach];
      return `${way.setting}: the guests of ${count} are not ${way.place}; ${way.remedy(place)}`;
    }
    return (
      `VAUBAN_COMPUTE: ${count} of this database run on ${name}, but this start would use ${compute.name} ` +
      `(${reason}); set ${name} and fix the problems that it reports, or delete the VMs there first`
    );
  }
}

const OTHER_NODE = 'another node of this database already runs its VMs; with real guests, only one node can';
