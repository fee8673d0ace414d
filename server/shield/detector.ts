import type { Database } from '../db/database.ts';
import {
  type AttackRow,
  insertAttack,
  systemFindOngoingAttack,
  systemOngoingAttacks,
  updateAttack,
} from '../db/queries/shield/shield-attacks.ts';
import { isReported } from '../db/queries/shield/shield-reports.ts';
import {
  saveBaselines,
  systemFindTarget,
  systemTargets,
  systemWatchedTargets,
} from '../db/queries/shield/shield-targets.ts';
import type { EdgeDriver, EdgeReading, TargetTotals, TrafficSource, Volume } from '../edge/driver.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { newAttack, observed, withVectors } from './attack-record.ts';
import { timesOf, Watch } from './baseline.ts';
import { attackingClasses, classify, difference, type Finding } from './classify.ts';
import { keepMitigating, writeAutomaticRule } from './mitigate.ts';
import { mitigationOf } from './mitigation.ts';
import { type Candidate, countersReset, type Observation, rateOf } from './observation.ts';
import { type Rates, Recent, SPANS_MS } from './recent.ts';
import { attackedTogether } from './together.ts';
import { UsualClasses } from './usual-classes.ts';

export interface DetectorParts {
  db: Database;
  edge: EdgeDriver;
  clock: Clock;
  /** Called when a target's rules have changed and should soon be put on the edge. */
  onRules(targetId: string): void;
  /** Called with the epoch of each reading. */
  onEpoch(epoch: string): void;
}

/** A port sample counts from its start, so an older one says little about a new vector. */
const SAMPLE_FRESH_MS = 5_000;
/**
 * The minimum time before a sample that was acted on is restarted to see what still gets through: the attack may have
 * moved to other ports.
 */
const SAMPLE_AGAIN_MS = 1_000;
const SAVE_BASELINES_MS = 60_000;
/** A threshold that an operator has set takes effect within this time. */
const READ_SETTINGS_MS = 5_000;
const LEARN_CLASSES_MS = 10_000;

type Setting = Awaited<ReturnType<typeof systemWatchedTargets>>[number];

/**
 * Watches the incoming traffic of every target on the edge, records attacks and writes rules against them. Only one
 * node at a time may run it. State that must survive a restart is in the database.
 */
export class AttackDetector {
  readonly #parts: DetectorParts;
  #watched: Map<string, Observation> | undefined;
  #resumed = new Map<string, { watch: Watch; attack: AttackRow | undefined }>();
  #epoch: string | undefined;
  #savedAt = 0;
  #settings = new Map<string, Setting>();
  #settingsAt = 0;
  #learntAt = 0;

  constructor(parts: DetectorParts) {
    this.#parts = parts;
  }

  /**
   * Looks once; call this at the edge's reading interval. Returns true if something unusual was seen for which the
   * edge now takes a port sample: look again soon, without waiting for the next interval.
   */
  async tick(): Promise<boolean> {
    this.#watched ??= await this.#resume();
    const reading = await this.#readTotals();
    await this.#readSettings(reading);
    const candidates = this.#look(reading);
    const sampled = candidates.length > 0 && (await this.#lookCloser(candidates, reading.at));
    await this.#learnClasses(reading, candidates);
    await this.#saveBaselines(reading.at);
    // A flow collector reports at its own pace, so a second look would come too early.
    return sampled && !this.#parts.edge.seen;
  }

  /** Reads the totals for detection. If that fails, keeps the rules against ongoing attacks alive. */
  async #readTotals(): Promise<EdgeReading<TargetTotals>> {
    const { db, edge, clock, onEpoch } = this.#parts;
    try {
      const counted = await edge.readTotals();
      onEpoch(counted.epoch);
      return (await edge.seen?.readTotals()) ?? counted;
    } catch (error) {
      for (const { attack } of this.#watched!.values())
        if (attack) await keepMitigating(db, attack.id, clock.now());
      throw error;
    }
  }

  get #source(): TrafficSource {
    return this.#parts.edge.seen ?? this.#parts.edge;
  }

  async #readSettings({ at, rows }: EdgeReading<TargetTotals>): Promise<void> {
    const isRecent = Math.abs(at.getTime() - this.#settingsAt) < READ_SETTINGS_MS;
    if (isRecent && rows.every(({ id }) => this.#settings.has(id))) return;
    const settings = await systemWatchedTargets(this.#parts.db);
    this.#settings = new Map(settings.map((setting) => [setting.id, setting]));
    this.#settingsAt = at.getTime();
  }

  /** Forgets everything, because another node has taken over or may have. */
  reset(): void {
    this.#watched = undefined;
  }

  async #resume(): Promise<Map<string, Observation>> {
    const { db } = this.#parts;
    const attacks = new Map((await systemOngoingAttacks(db)).map((attack) => [attack.target_id, attack]));
    const resumed = (await systemTargets(db)).map(({ id, baseline_pps, baseline_bps }) => {
      const attack = attacks.get(id);
      const baseline = baseline_pps === null ? undefined : { pps: baseline_pps, bps: baseline_bps! };
      return [id, { watch: new Watch(baseline, attack !== undefined), attack }] as const;
    });
    this.#resumed = new Map(resumed);
    return new Map();
  }

  #look({ epoch, at, rows }: EdgeReading<TargetTotals>): Candidate[] {
    const before = this.#watched!;
    const continues = epoch === this.#epoch;
    this.#epoch = epoch;
    this.#watched = new Map();
    const seen = rows.flatMap((totals) => {
      const known = before.get(totals.id);
      const entry = this.#entry(totals, at, known);
      const setting = this.#settings.get(totals.id);
      entry.watch.fixed = setting?.threshold ?? {};
      // The edge returned the same reading again.
      const isOld = known?.at.getTime() === at.getTime() && continues;
      this.#watched!.set(totals.id, isOld ? known! : entry);
      if (isOld) return [];
      if (!known || !continues || countersReset(totals, known.totals) || at <= known.at) {
        entry.recent.restart();
        entry.recent.add(at, totals);
        return [];
      }
      entry.recent.add(at, totals);
      return [{ id: totals.id, ip: setting?.ip ?? '', watch: entry.watch, entry, known }];
    });
    const together = this.#together(seen.filter(({ ip }) => ip !== ''));
    return seen.flatMap(({ id, entry, known }) => this.#judge(entry, known, together.get(id)));
  }

  /** Returns targets attacked together, with the rates that show it; not every look shows all of them. */
  #together(seen: { id: string; ip: string; entry: Observation }[]): Map<string, Rates> {
    const found = new Map<string, Rates>();
    for (const ms of SPANS_MS) {
      const spans = new Map(seen.map(({ id, entry }) => [id, entry.recent.over(ms)!]));
      const watched = seen.map(({ id, ip, entry: { watch } }) => ({ id, ip, watch, ...spans.get(id)! }));
      for (const id of attackedTogether(watched)) if (!found.has(id)) found.set(id, spans.get(id)!);
    }
    return found;
  }

  #entry(totals: TargetTotals, at: Date, known: Observation | undefined): Observation {
    if (known) return { ...known, totals, at };
    const resumed = this.#resumed.get(totals.id);
    this.#resumed.delete(totals.id);
    return {
      watch: resumed?.watch ?? new Watch(),
      attack: resumed?.attack,
      totals,
      at,
      recent: new Recent(),
      classes: undefined,
      sampledAt: undefined,
      hasActed: false,
      usual: new UsualClasses(),
    };
  }

  #judge(entry: Observation, known: Observation, together: Rates | undefined): Candidate[] {
    const { totals, at, watch } = entry;
    const seconds = (at.getTime() - known.at.getTime()) / 1000;
    const now = {
      rate: rateOf(totals.in, known.totals.in, seconds),
      passed: rateOf(totals.passed, known.totals.passed, seconds),
    };
    // A target attacked as one of several counts as attacked even if nothing arrived in this interval.
    const isElsewhere = !watch.isAttack && together && timesOf(now.rate, watch.togetherThreshold) <= 1;
    const { rate, passed } = isElsewhere ? together : now;
    const startedAt = watch.lastQuiet ?? known.at;
    const look = watch.look(rate, at, together !== undefined);
    if (look === 'quiet') {
      entry.classes = undefined;
      entry.sampledAt = undefined;
      return [];
    }
    const droppedSince = (part: keyof Volume) =>
      totals.in[part] - totals.passed[part] - (known.totals.in[part] - known.totals.passed[part]);
    const dropped = { packets: droppedSince('packets'), bytes: droppedSince('bytes') };
    return [{ id: totals.id, look, entry, rate, passed, dropped, startedAt }];
  }

  /** Returns true if a port sample has started. */
  async #lookCloser(candidates: Candidate[], at: Date): Promise<boolean> {
    const source = this.#source;
    const ids = candidates.map(({ id }) => id);
    const details = new Map((await source.readDetail(ids)).rows.map((row) => [row.id, row.classes]));
    const portSamples = new Map(
      (await source.readPortSamples(ids)).map((portSample) => [portSample.id, portSample]),
    );
    const toSample: string[] = [];
    for (const candidate of candidates) {
      const { entry, id } = candidate;
      const classes = details.get(id);
      const fresh = classes && entry.classes && difference(classes, entry.classes);
      entry.classes = classes;
      const usual = { pps: candidate.rate.pps, usualPps: entry.usual.pps.bind(entry.usual) };
      const findings = fresh
        ? attackingClasses(fresh, usual).map((name) => classify(name, fresh[name], portSamples.get(id)))
        : [];
      const needsSample = await this.#record(candidate, findings, at);
      if (!needsSample) continue;
      entry.sampledAt = at;
      entry.hasActed = false;
      toSample.push(id);
    }
    if (toSample.length > 0) await source.startPortSample(toSample);
    return toSample.length > 0;
  }

  /** Updates the attack's record and acts on it. Returns true if a port sample should start. */
  async #record(candidate: Candidate, found: Finding[], at: Date): Promise<boolean> {
    const { look, entry } = candidate;
    const { watch, sampledAt } = entry;
    if (look === 'suspect') return true;
    entry.attack ??= await this.#open(candidate, at);
    if (!entry.attack) return false;
    const level = watch.level(candidate.rate);
    const findings = sampledAt && level > 1 ? found : [];
    const news = findings.filter(({ vector }) => !entry.attack!.vectors.includes(vector));
    const ageMs = sampledAt === undefined ? 0 : at.getTime() - sampledAt.getTime();
    const isStale = ageMs > SAMPLE_FRESH_MS;
    const { threshold } = watch;
    const seen = { at, rate: candidate.rate, threshold, level, dropped: candidate.dropped };
    let attack = observed(entry.attack, seen);
    // A new vector is named only after a fresh port sample: the previous one counted other packets.
    if (!isStale)
      attack = withVectors(
        attack,
        news.map(({ vector }) => vector),
      );
    await this.#save(entry, look === 'ended' ? ended(attack, watch) : attack);
    if (look === 'ended' || !entry.attack) return false;
    if (isStale && news.length > 0) return true;
    const isSpent = ageMs > SAMPLE_AGAIN_MS && (isStale || entry.hasActed);
    if (level > 1 && !(await this.#mitigate(candidate, isSpent ? undefined : findings, at))) return true;
    return sampledAt === undefined;
  }

  async #open({ id, startedAt }: Candidate, at: Date): Promise<AttackRow | undefined> {
    const { db, clock } = this.#parts;
    const target = await systemFindTarget(db, id);
    if (!target || target.removed_at || target.mode === 'off') return undefined;
    const attack = newAttack(newId('atk', clock), target, startedAt, at);
    // If another program has reported an attack on this target, it is the same attack.
    return (await insertAttack(db, attack)) ? attack : systemFindOngoingAttack(db, id);
  }

  /** Saves the record and forgets an ended attack. A reported attack is left for its reporter to end. */
  async #save(entry: Observation, attack: AttackRow): Promise<void> {
    const { db, clock } = this.#parts;
    if (attack.status === 'ended' && (await isReported(db, attack.id, clock.now()))) {
      entry.attack = undefined;
      return;
    }
    const goesOn = (await updateAttack(db, attack)) && attack.status === 'ongoing';
    entry.attack = goesOn ? attack : undefined;
  }

  /** Acts on the traffic that gets through. Returns false if that requires newer findings. */
  async #mitigate(
    { id, entry, passed }: Candidate,
    findings: Finding[] | undefined,
    at: Date,
  ): Promise<boolean> {
    const { db, edge, clock, onRules } = this.#parts;
    const { watch } = entry;
    const attack = entry.attack!;
    await keepMitigating(db, attack.id, clock.now());
    if (watch.level(passed) <= 1) {
      // The rules in force are sufficient, whatever their origin.
      if (!attack.mitigated_at) await this.#save(entry, { ...attack, mitigated_at: at });
      return true;
    }
    const target = await systemFindTarget(db, id);
    if (target?.mode !== 'always_on') return true;
    if (!findings) return false;
    entry.hasActed = findings.length > 0;
    const around = {
      family: target.family,
      threshold: watch.threshold,
      isTogether: watch.isTogether,
      capabilities: edge.capabilities(),
    };
    for (const finding of findings) {
      const spec = mitigationOf(finding, { ...around, usualPps: entry.usual.pps(finding.class) });
      if (spec && (await writeAutomaticRule(db, clock, attack, spec)) === 'written') onRules(id);
    }
    return true;
  }

  /** From time to time, learns the usual rate of each class from targets without unusual traffic. */
  async #learnClasses({ at }: EdgeReading<TargetTotals>, candidates: Candidate[]): Promise<void> {
    for (const { entry } of candidates) entry.usual.skip();
    if (Math.abs(at.getTime() - this.#learntAt) < LEARN_CLASSES_MS) return;
    this.#learntAt = at.getTime();
    const unusual = new Set(candidates.map(({ id }) => id));
    const ids = [...this.#watched!.keys()].filter((id) => !unusual.has(id));
    if (ids.length === 0) return;
    for (const { id, classes } of (await this.#source.readDetail(ids)).rows) {
      this.#watched!.get(id)?.usual.learn(classes, at);
    }
  }

  async #saveBaselines(at: Date): Promise<void> {
    if (at.getTime() - this.#savedAt < SAVE_BASELINES_MS) return;
    this.#savedAt = at.getTime();
    const rows = [...this.#watched!].flatMap(([id, { watch }]) =>
      watch.baseline && !watch.isNew ? [{ id, ...watch.baseline }] : [],
    );
    if (rows.length > 0) await saveBaselines(this.#parts.db, rows);
  }
}

function ended(attack: AttackRow, watch: Watch): AttackRow {
  return { ...attack, status: 'ended', ended_at: watch.quietSince! };
}
