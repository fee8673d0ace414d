import { randomBytes } from 'node:crypto';
import { addressMatcher } from '../../platform/cidr.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import { KernelTables } from '../../platform/nftables/tables.ts';
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
import type { Layout } from './layout.ts';
import { COUNTS_TABLE, PROXY_TABLE, RULES_TABLE, withFamily } from './names.ts';
import { probeKernel } from './probe.ts';
import { readDetail, readDropped, readTotals } from './readings.ts';
import { everything, rebuild } from './rebuild.ts';
import { enforceable, MAX_RULES_PER_TARGET, receiptOf, requireRoom, requireTarget } from './requests.ts';
import { MAX_RATE } from './rules.ts';
import { ENOUGH_MS, PortSamples, SAMPLE_MS } from './samples.ts';
import { type EdgeContent, isSameContent, type KernelState, readState } from './state.ts';

export interface NftablesEdgeOptions {
  /** Interfaces through which packets to protected addresses arrive. */
  devices: readonly string[];
  /** Networks of the protected addresses: no other address is put on the edge. */
  prefixes: readonly string[];
  /** True if SYN may be answered on behalf of targets. */
  synProxy?: boolean;
  clock: Clock;
  /** Told if the tables are rebuilt again and again. */
  logger?: Pick<Logger, 'error'>;
}

/** Two looks within half a second suffice to stop an attack within one, at a hundredth of a core. */
export const READ_EVERY_MS = 250;
/** Attempts at a reading that is interrupted by rebuilds. */
const READ_ATTEMPTS = 3;

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
  readonly #tables: KernelTables<EdgeContent>;
  readonly #samples: PortSamples;
  #listener: () => void = () => {};
  readonly #closing = new AbortController();

  constructor(options: NftablesEdgeOptions) {
    this.#options = options;
    this.#layout = { devices: options.devices, synProxy: options.synProxy ?? false };
    this.#isProtected = addressMatcher(options.prefixes);
    this.#tables = new KernelTables({
      tables: [RULES_TABLE, COUNTS_TABLE, PROXY_TABLE].map(withFamily),
      clock: options.clock,
      logger: options.logger,
      // A device that disappears takes its part of the tables with it.
      ip: {
        objects: ['link'],
        onLine: (line) => {
          if (options.devices.includes(deviceOf(line))) this.#tables.doubt();
        },
      },
      read: async () => {
        const found = await readState(this.#layout);
        return found?.fault === undefined ? found : undefined;
      },
      isSame: isSameContent,
      onAltered: () => this.#listener(),
      unavailable: (message, cause) => new EdgeUnavailableError(message, cause),
    });
    this.#samples = new PortSamples(options.devices, (lines) => this.#tables.apply(lines));
  }

  async probe(): Promise<EdgeReport> {
    return this.#tables.lanes
      .write(() => probeKernel(this.#layout, (lines) => this.#tables.apply(lines)))
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
    return this.#tables.lanes.write(async () => {
      this.#tables.watch();
      if (!this.#tables.known) await this.#samples.clear();
      const found = await readState(this.#layout);
      if (found && found.fault === undefined) await this.#bringTo(targets, found);
      else await this.#rebuild(targets, found);
      return receiptOf(targets, refused);
    });
  }

  async putTarget(given: EdgeTarget): Promise<EdgeReceipt> {
    this.#check(given, 'target');
    const { targets, refused } = enforceable([given], this.#layout);
    const target = targets[0]!;
    return this.#tables.lanes.write(async () => {
      const state = await this.#known();
      if (!state) await this.#rebuild([target], undefined);
      else {
        requireRoom(state.held, target);
        const held = state.held.get(target.id);
        const wanted = heldOf(target, held, state.numbers);
        if (!isHeldAs(held, wanted)) await this.#tables.apply(putBatch(target, wanted, held));
        state.held.set(target.id, wanted);
      }
      return receiptOf([target], refused);
    });
  }

  async removeTarget(id: string): Promise<void> {
    await this.#tables.lanes.write(async () => {
      const state = await this.#known();
      const held = state?.held.get(id);
      if (!held) return;
      await this.#tables.apply(removeBatch(id, held));
      state!.held.delete(id);
    });
  }

  readTotals(): Promise<EdgeReading<TargetTotals>> {
    this.#tables.verifyNowAndThen();
    return this.#read((held) => readTotals(held, this.#options.clock));
  }

  readDetail(ids: string[]): Promise<EdgeReading<TargetDetail>> {
    return this.#read(async (held) => this.#dated(await readDetail(held, ids)));
  }

  readRuleCounters(ids: string[]): Promise<EdgeReading<RuleCounters>> {
    return this.#read(async (held) => this.#dated(await readDropped(held, ids)));
  }

  async startPortSample(ids: string[]): Promise<void> {
    const table = await this.#tables.lanes.write(async () => {
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
      await this.#tables.lanes.write(() => this.#samples.finish(table));
    } catch {}
  }

  async readPortSamples(ids: string[]): Promise<PortSample[]> {
    const { samples, enough } = await this.#tables.lanes.read(() => this.#samples.read(ids));
    for (const table of enough) void this.#finishSample(table, ENOUGH_MS);
    return samples;
  }

  async blackhole(id: string, on: boolean): Promise<void> {
    await this.#tables.lanes.write(async () => {
      const state = await this.#known();
      const held = state?.held.get(id);
      if (!held || held.blackholed === on) return;
      if (on) await this.#tables.apply(blackholeChain(id));
      await this.#tables.apply(blackholeBatch(id, held, on));
      state!.held.set(id, { ...held, blackholed: on });
    });
  }

  async close(): Promise<void> {
    this.#closing.abort();
    await this.#tables.close();
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
      if (!this.#tables.known && !(await this.#tables.lanes.write(() => this.#known()))) break;
      const found = await this.#tables.lanes.read(async () => {
        const state = this.#tables.known;
        if (!state) return undefined;
        const { epoch } = state;
        const held = new Map(state.held);
        const reading = await read(held).catch((error) => {
          if (this.#tables.known?.epoch === epoch) this.#tables.lose();
          throw error;
        });
        const now = this.#tables.known;
        if (now?.epoch !== epoch) return undefined;
        const stays = ({ id, targetId = id }: Row) => now.held.get(targetId)?.ip === held.get(targetId)?.ip;
        return { epoch, ...reading, rows: reading.rows.filter(stays) };
      });
      if (found) return found;
    }
    throw new EdgeUnavailableError('the edge has no tables yet');
  }

  /** Returns the kernel's state, reading it if necessary; undefined if it cannot be continued from. */
  async #known(): Promise<EdgeContent | undefined> {
    if (this.#tables.known) return this.#tables.known;
    this.#tables.watch();
    const found = await this.#tables.content();
    if (found) await this.#samples.clear();
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
    await this.#tables.apply([
      // First, because another target may have received the address.
      ...gone.flatMap(([id, one]) => removeBatch(id, one)),
      ...changed.flatMap((target) => putBatch(target, wanted.get(target.id)!, present.get(target.id))),
    ]);
    this.#tables.hold({ epoch, held: wanted, numbers });
  }

  /** Rebuilds all tables. Rules keep their drop counters if these could still be read. */
  async #rebuild(targets: EdgeTarget[], found: KernelState | undefined): Promise<void> {
    const epoch = randomBytes(6).toString('hex');
    const { lines, held, numbers } = everything(this.#layout, epoch, targets, found);
    await this.#samples.clear();
    await rebuild(lines, (some) => this.#tables.apply(some));
    this.#tables.rebuilt({ epoch, held, numbers }, found?.fault ?? 'a table is missing');
  }

  #check(target: EdgeTarget, field: string): void {
    requireTarget(target, field, this.#isProtected);
  }
}

/** Returns the device that a line of `ip -o monitor link` is about: "3: e0@if2: <BROADCAST,UP> …". */
function deviceOf(line: string): string {
  return line.split(': ', 2)[1]?.split('@')[0] ?? '';
}
