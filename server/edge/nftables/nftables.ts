import { randomBytes } from 'node:crypto';
import { addressMatcher } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import { TableWatch } from '../../platform/nft-watch.ts';
import { Reconciler } from '../../platform/reconciler.ts';
import {
  type EdgeCapabilities,
  type EdgeDriver,
  type EdgeReading,
  type EdgeReceipt,
  type EdgeReport,
  type EdgeTarget,
  EdgeUnavailableError,
  type PortSample,
  type RuleCounters,
  type TargetDetail,
  type TargetTotals,
} from '../driver.ts';
import {
  blackholeBatch,
  blackholeChain,
  type Held,
  heldOf,
  isHeldAs,
  putBatch,
  removeBatch,
} from './batch.ts';
import { Lanes } from './lanes.ts';
import type { Layout } from './layout.ts';
import { probeKernel } from './probe.ts';
import { apply } from './program.ts';
import { readDetail, readDropped, readTotals } from './readings.ts';
import { everything, rebuild } from './rebuild.ts';
import { enforceable, MAX_RULES_PER_TARGET, receiptOf, requireRoom, requireTarget } from './requests.ts';
import { MAX_RATE } from './rules.ts';
import { ENOUGH_MS, PortSamples, SAMPLE_MS } from './samples.ts';
import { type KernelState, readState } from './state.ts';
import { isAtDevices, OURS } from './watch.ts';

export interface NftablesEdgeOptions {
  /** Interfaces through which packets to protected addresses arrive. */
  devices: readonly string[];
  /** Networks of the protected addresses: no other address is put on the edge. */
  prefixes: readonly string[];
  /** True if SYN may be answered on behalf of targets. */
  synProxy?: boolean;
  clock: Clock;
}

/** Two looks within half a second suffice to stop an attack within one, at a hundredth of a core. */
export const READ_EVERY_MS = 250;
/** Attempts at a reading that is interrupted by rebuilds. */
const READ_ATTEMPTS = 3;
/** Interval at which changes that the kernel did not announce are noticed. */
const VERIFY_EVERY_MS = 60_000;

export const CAPABILITIES = {
  rateUnits: ['pps', 'bps'],
  maxRate: MAX_RATE,
  ordering: 'priority',
  limitsSources: true,
  counts: true,
  maxRulesPerTarget: MAX_RULES_PER_TARGET,
} as const satisfies Partial<EdgeCapabilities>;

/** This host's edge: nftables in front of everything that its devices receive. See docs/operating-the-edge.md. */
export class NftablesEdge implements EdgeDriver {
  readonly name = 'nftables';
  readonly readEveryMs = READ_EVERY_MS;
  readonly #options: NftablesEdgeOptions;
  readonly #layout: Layout;
  readonly #isProtected: (ip: string) => boolean;
  /** Part of every change this process makes, so that a watcher of the tables recognises them. */
  readonly #signature = `vauban-edge-own-${randomBytes(6).toString('hex')}`;
  readonly #samples: PortSamples;
  readonly #watch: TableWatch;
  #listener: () => void = () => {};
  /** The kernel's state as far as this process knows; undefined if it must be read or rebuilt. */
  #state: Pick<KernelState, 'epoch' | 'held' | 'numbers'> | undefined;
  #verifiedAt = 0;
  readonly #verifying = new Reconciler({
    run: (signal, look) => this.#verify(signal, look),
    onFailure: () => this.#lose(),
  });
  /** Makes sure that each change is based on one state and waits for no reading. */
  readonly #lanes = new Lanes();
  readonly #closing = new AbortController();

  constructor(options: NftablesEdgeOptions) {
    this.#options = options;
    this.#layout = { devices: options.devices, synProxy: options.synProxy ?? false };
    this.#isProtected = addressMatcher(options.prefixes);
    this.#samples = new PortSamples(options.devices, this.#signature);
    this.#watch = new TableWatch({
      ours: OURS,
      signature: this.#signature,
      devices: options.devices,
      onDoubt: () => this.#verifying.kick(),
    });
  }

  async probe(): Promise<EdgeReport> {
    return this.#lanes
      .write(() => probeKernel(this.#layout, this.#signature))
      .catch((error: Error) => ({ ok: false, summary: error.message }));
  }

  capabilities(): EdgeCapabilities {
    return { ...CAPABILITIES, synProxy: this.#layout.synProxy, prefixes: this.#options.prefixes };
  }

  onAltered(listener: () => void): void {
    this.#listener = listener;
  }

  async reconcile(given: EdgeTarget[]): Promise<EdgeReceipt> {
    for (const [index, target] of given.entries()) this.#check(target, `targets.${index}`);
    const { targets, refused } = enforceable(given, this.#layout);
    return this.#lanes.write(async () => {
      this.#watch.start();
      if (!this.#state) await this.#samples.clear();
      const found = await readState(this.#layout);
      const isWhole = found?.sound && (await isAtDevices(this.#layout.devices));
      if (isWhole) await this.#bringTo(targets, found);
      else await this.#rebuild(targets, found);
      this.#verifiedAt = this.#now();
      return receiptOf(targets, refused);
    });
  }

  async putTarget(given: EdgeTarget): Promise<EdgeReceipt> {
    this.#check(given, 'target');
    const { targets, refused } = enforceable([given], this.#layout);
    const target = targets[0]!;
    return this.#lanes.write(async () => {
      const state = await this.#known();
      if (!state) await this.#rebuild([target], undefined);
      else {
        requireRoom(state.held, target);
        const held = state.held.get(target.id);
        const wanted = heldOf(target, held, state.numbers);
        if (!isHeldAs(held, wanted)) await this.#apply(putBatch(target, wanted, held));
        state.held.set(target.id, wanted);
      }
      return receiptOf([target], refused);
    });
  }

  async removeTarget(id: string): Promise<void> {
    await this.#lanes.write(async () => {
      const state = await this.#known();
      const held = state?.held.get(id);
      if (!held) return;
      await this.#apply(removeBatch(id, held));
      state!.held.delete(id);
    });
  }

  readTotals(): Promise<EdgeReading<TargetTotals>> {
    this.#verifyNowAndThen();
    return this.#read((held) => readTotals(held, this.#options.clock));
  }

  readDetail(ids: string[]): Promise<EdgeReading<TargetDetail>> {
    return this.#read(async (held) => this.#dated(await readDetail(held, ids)));
  }

  readRuleCounters(ids: string[]): Promise<EdgeReading<RuleCounters>> {
    return this.#read(async (held) => this.#dated(await readDropped(held, ids)));
  }

  async startPortSample(ids: string[]): Promise<void> {
    const table = await this.#lanes.write(async () => {
      const state = await this.#known();
      const targets = [...new Set(ids)].flatMap((id) => {
        const held = state?.held.get(id);
        return held ? [{ id, ip: held.ip, family: held.family }] : [];
      });
      return this.#samples.start(targets);
    });
    if (table !== undefined) void this.#finishSample(table, SAMPLE_MS);
  }

  /** A sample that cannot be finished is deleted when the next one starts, or when this process restarts. */
  async #finishSample(table: string, afterMs: number): Promise<void> {
    try {
      await this.#options.clock.sleep(afterMs, this.#closing.signal);
      await this.#lanes.write(() => this.#samples.finish(table));
    } catch {}
  }

  async readPortSamples(ids: string[]): Promise<PortSample[]> {
    const { samples, enough } = await this.#lanes.read(() => this.#samples.read(ids));
    for (const table of enough) void this.#finishSample(table, ENOUGH_MS);
    return samples;
  }

  async blackhole(id: string, on: boolean): Promise<void> {
    await this.#lanes.write(async () => {
      const state = await this.#known();
      const held = state?.held.get(id);
      if (!held || held.blackholed === on) return;
      if (on) await this.#apply(blackholeChain(id));
      await this.#apply(blackholeBatch(id, held, on));
      state!.held.set(id, { ...held, blackholed: on });
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#verifying.close();
    this.#watch.close();
    await this.#lanes.idle();
  }

  #dated<Row>(rows: Row[]): { at: Date; rows: Row[] } {
    return { at: this.#options.clock.now(), rows };
  }

  /**
   * Reads data of the held targets while writes may continue. If the epoch changed in the meantime, reads again; leaves
   * out targets that are gone or at another address.
   */
  async #read<Row extends { id: string; targetId?: string }>(
    read: (held: ReadonlyMap<string, Held>) => Promise<{ at: Date; rows: Row[] }>,
  ): Promise<EdgeReading<Row>> {
    for (let attempt = 0; attempt < READ_ATTEMPTS; attempt++) {
      if (!this.#state && !(await this.#lanes.write(() => this.#known()))) break;
      const found = await this.#lanes.read(async () => {
        const state = this.#state;
        if (!state) return undefined;
        const { epoch } = state;
        const held = new Map(state.held);
        const reading = await read(held).catch((error) => {
          if (this.#state?.epoch === epoch) this.#lose();
          throw error;
        });
        const now = this.#state;
        if (now?.epoch !== epoch) return undefined;
        const stays = ({ id, targetId = id }: Row) => now.held.get(targetId)?.ip === held.get(targetId)?.ip;
        return { epoch, ...reading, rows: reading.rows.filter(stays) };
      });
      if (found) return found;
    }
    throw new EdgeUnavailableError('the edge has no tables yet');
  }

  /** Returns the kernel's state, reading it if necessary; undefined if it cannot be continued from. */
  async #known() {
    if (this.#state) return this.#state;
    this.#watch.start();
    const found = await readState(this.#layout);
    if (!found?.sound) return undefined;
    await this.#samples.clear();
    this.#state = found;
    return found;
  }

  /** Turns the present state into the wanted one in a single step; leaves correct parts untouched. */
  async #bringTo(targets: EdgeTarget[], { epoch, held, numbers }: KernelState): Promise<void> {
    const wanted = new Map(
      targets.map((target) => [target.id, heldOf(target, held.get(target.id), numbers)]),
    );
    const stays = (id: string, ip: string) => wanted.get(id)?.ip === ip;
    const gone = [...held].filter(([id, { ip }]) => !stays(id, ip));
    const present = new Map([...held].filter(([id, { ip }]) => stays(id, ip)));
    const changed = targets.filter(({ id }) => !isHeldAs(present.get(id), wanted.get(id)!));
    await this.#apply([
      // First, because another target may have received the address.
      ...gone.flatMap(([id, one]) => removeBatch(id, one)),
      ...changed.flatMap((target) => putBatch(target, wanted.get(target.id)!, present.get(target.id))),
    ]);
    this.#state = { epoch, held: wanted, numbers };
  }

  /** Rebuilds all tables. Rules keep their drop counters if these could still be read. */
  async #rebuild(targets: EdgeTarget[], found: KernelState | undefined): Promise<void> {
    const epoch = randomBytes(6).toString('hex');
    const { lines, held, numbers } = everything(this.#layout, epoch, targets, found);
    await this.#samples.clear();
    await rebuild(lines, (some) => this.#apply(some));
    this.#state = { epoch, held, numbers };
  }

  /** Applies a batch. If that fails, the known state of the kernel may be wrong, so it is forgotten. */
  async #apply(lines: string[]): Promise<void> {
    if (lines.length === 0) return;
    try {
      await apply(lines, this.#signature);
    } catch (error) {
      this.#state = undefined;
      throw error;
    }
  }

  /** Reports that the kernel no longer holds what it was given; once, until it has been given everything again. */
  #lose(): void {
    this.#state = undefined;
    this.#listener();
  }

  /**
   * Compares the kernel's state with the one it was given; several simultaneous doubts cause one comparison. A difference
   * found during a write is checked again when nothing is being written.
   */
  async #verify(signal: AbortSignal, look: () => void): Promise<void> {
    const isAsGiven = await this.#lanes.read(() => {
      look();
      this.#verifiedAt = this.#now();
      return this.#isAsGiven();
    });
    const isSound = isAsGiven || (await this.#lanes.write(() => this.#isAsGiven()));
    if (signal.aborted) return;
    if (isSound) this.#watch.start();
    else this.#lose();
  }

  async #isAsGiven(): Promise<boolean> {
    if (!this.#state) return false;
    const found = await readState(this.#layout);
    const known = this.#state;
    return (
      found?.sound === true &&
      found.epoch === known?.epoch &&
      found.held.size === known.held.size &&
      [...known.held].every(([id, one]) => isHeldAs(found.held.get(id), one)) &&
      (await isAtDevices(this.#layout.devices))
    );
  }

  #verifyNowAndThen(): void {
    if (!this.#state || this.#now() - this.#verifiedAt < VERIFY_EVERY_MS) return;
    this.#verifiedAt = this.#now();
    this.#verifying.kick();
  }

  #check(target: EdgeTarget, field: string): void {
    requireTarget(target, field, this.#isProtected);
  }

  #now(): number {
    return this.#options.clock.now().getTime();
  }
}
