import type { Clock } from '../../platform/clock.ts';
import {
  EDGE_CLASSES,
  type EdgeCapabilities,
  type EdgeClass,
  type EdgeDriver,
  type EdgeReading,
  type EdgeReceipt,
  type EdgeReport,
  type EdgeTarget,
  EdgeUnavailableError,
  type PortSample,
  type RuleCounters,
  type SimulatedAttacks,
  type TargetDetail,
  type TargetTotals,
  type Volume,
} from '../driver.ts';
import type { EdgeStore, StoredTarget } from './store.ts';
import {
  countsAt,
  newTarget,
  type SimulatedTarget,
  sampledPorts,
  settledAt,
  totalsOf,
  whole,
  withRules,
} from './target.ts';

export interface EdgeSimulatorOptions {
  /** Storage for targets. The simulator never closes it. */
  store: EdgeStore;
  clock: Clock;
  /** Called before every operation, with the method's name; if it throws, the operation fails and changes nothing. */
  faults?: (operation: keyof EdgeDriver) => void;
}

/** Counters are in the database and never restart. */
const EPOCH = 'simulator';
const MAX_RULES_PER_TARGET = 1_000;
/** Maximum number of simultaneous attacks on one target: each slows down every reading a little. */
const MAX_ATTACKS = 32;

/** Returns a simulated edge: counters, rules and attacks work, but there are no packets. See docs/shield.md. */
export function createEdgeSimulator(options: EdgeSimulatorOptions): EdgeDriver {
  return new EdgeSimulator(options);
}

class EdgeSimulator implements EdgeDriver {
  readonly name = 'simulator';
  readonly #store: EdgeStore;
  readonly #clock: Clock;
  readonly #faults: (operation: keyof EdgeDriver) => void;

  constructor({ store, clock, faults = () => {} }: EdgeSimulatorOptions) {
    this.#store = store;
    this.#clock = clock;
    this.#faults = faults;
  }

  async probe(): Promise<EdgeReport> {
    this.#faults('probe');
    const { length } = await this.#store.readTargets();
    return { ok: true, summary: `simulator: ${length} targets, attacks on demand` };
  }

  capabilities(): EdgeCapabilities {
    return {
      rateUnits: ['pps', 'bps'],
      ordering: 'priority',
      limitsSources: false,
      counts: true,
      maxRulesPerTarget: MAX_RULES_PER_TARGET,
      prefixes: null,
    };
  }

  async reconcile(targets: EdgeTarget[]): Promise<EdgeReceipt> {
    this.#faults('reconcile');
    const wanted = new Map(targets.map((target) => [target.id, target]));
    await this.#store.replaceTargets([...wanted.keys()], (id, present) =>
      this.#stateOf(wanted.get(id)!, present),
    );
    return { targets: targets.length, rules: targets.reduce((sum, { rules }) => sum + rules.length, 0) };
  }

  async putTarget(target: EdgeTarget): Promise<EdgeReceipt> {
    this.#faults('putTarget');
    await this.#store.putTarget(target.id, (present) => this.#stateOf(target, present));
    return { targets: 1, rules: target.rules.length };
  }

  #stateOf(target: EdgeTarget, present: SimulatedTarget | undefined): SimulatedTarget {
    const now = this.#now();
    return present ? withRules(target.id, present, target.rules, now) : newTarget(target, now);
  }

  async removeTarget(id: string): Promise<void> {
    this.#faults('removeTarget');
    await this.#store.deleteTarget(id);
  }

  async readTotals(): Promise<EdgeReading<TargetTotals>> {
    this.#faults('readTotals');
    return this.#read(await this.#store.readTargets(), (id, target, now) => [
      totalsOf(id, countsAt(id, target, now)),
    ]);
  }

  async readDetail(ids: string[]): Promise<EdgeReading<TargetDetail>> {
    this.#faults('readDetail');
    return this.#read(await this.#store.readTargets(ids), (id, target, now) => {
      const counted = countsAt(id, target, now).classes;
      const classes = Object.fromEntries(EDGE_CLASSES.map((name) => [name, whole(counted[name])]));
      return [{ id, classes: classes as Record<EdgeClass, Volume> }];
    });
  }

  async readRuleCounters(ids: string[]): Promise<EdgeReading<RuleCounters>> {
    this.#faults('readRuleCounters');
    return this.#read(await this.#store.readTargets(ids), (targetId, target, now) => {
      const counted = countsAt(targetId, target, now).rules;
      const none = { packets: 0, bytes: 0 };
      return target.rules.map(({ id }) => ({ id, targetId, dropped: whole(counted[id] ?? none) }));
    });
  }

  #read<Row>(
    targets: StoredTarget[],
    rowsOf: (id: string, target: SimulatedTarget, now: number) => Row[],
  ): EdgeReading<Row> {
    const now = this.#now();
    return {
      epoch: EPOCH,
      at: new Date(now),
      rows: targets.flatMap(({ id, state }) => rowsOf(id, state, now)),
    };
  }

  async startPortSample(ids: string[]): Promise<void> {
    this.#faults('startPortSample');
    const drillAt = this.#now();
    for (const id of ids) await this.#store.changeTarget(id, (target) => ({ ...target, drillAt }));
  }

  async readPortSamples(ids: string[]): Promise<PortSample[]> {
    this.#faults('readPortSamples');
    const now = this.#now();
    return (await this.#store.readTargets(ids)).flatMap(({ id, state }) => {
      const ports = sampledPorts(id, state, now);
      return ports ? [{ id, ports, others: { tcp: 0, udp: 0 } }] : [];
    });
  }

  async blackhole(id: string, on: boolean): Promise<void> {
    this.#faults('blackhole');
    const now = this.#now();
    await this.#store.changeTarget(id, (target) => ({ ...settledAt(id, target, now), blackholed: on }));
  }

  readonly attacks: SimulatedAttacks = {
    start: async (id, { vector, pps, seconds }) => {
      const from = this.#now();
      const attack = { vector, pps, from, to: from + seconds * 1000 };
      const changed = await this.#store.changeTarget(id, (target) => {
        const settled = settledAt(id, target, from);
        if (settled.attacks.length >= MAX_ATTACKS) {
          throw new EdgeUnavailableError(`${MAX_ATTACKS} attacks on ${id} are already in progress`);
        }
        return { ...settled, attacks: [...settled.attacks, attack] };
      });
      if (!changed) throw new EdgeUnavailableError(`the simulated edge has no target ${id}`);
    },
    stop: async (id) => {
      const now = this.#now();
      let stopped = 0;
      await this.#store.changeTarget(id, (target) => {
        const settled = settledAt(id, target, now);
        stopped = settled.attacks.length;
        return { ...settled, attacks: [] };
      });
      return stopped;
    },
  };

  async close(): Promise<void> {}

  #now(): number {
    return this.#clock.now().getTime();
  }
}
