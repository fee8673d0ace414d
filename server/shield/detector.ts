import type { Database } from '../db/database.ts';
import {
  type AttackRow,
  insertAttack,
  systemOngoingAttacks,
  updateAttack,
} from '../db/queries/shield-attacks.ts';
import { saveBaselines, systemFindTarget, systemTargets } from '../db/queries/shield-targets.ts';
import type { EdgeClass, EdgeDriver, EdgeReading, PortSample, TargetTotals, Volume } from '../edge/driver.ts';
import type { Clock } from '../platform/clock.ts';
import { newId } from '../platform/ids.ts';
import { newAttack, observed, withVectors } from './attack-record.ts';
import { Watch } from './baseline.ts';
import { attackingClasses, classify, difference, type Finding } from './classify.ts';
import { keepMitigating, writeAutomaticRule } from './mitigate.ts';
import { mitigationOf } from './mitigation.ts';
import { type Candidate, countersReset, type Observation, rateOf } from './observation.ts';

export interface DetectorParts {
  db: Database;
  edge: EdgeDriver;
  clock: Clock;
  /** A target's rules have changed: the edge is to have them soon. */
  onRules(targetId: string): void;
  /** The epoch of a reading. */
  onEpoch(epoch: string): void;
}

/** A port sample says what came since it began: one that is older than this says little about a vector that is new. */
const SAMPLE_FRESH_MS = 5_000;
const SAVE_BASELINES_MS = 60_000;

/**
 * Watches what comes in to every target on the edge, records attacks and writes rules against them. To be run by
 * one node at a time; what it must not forget over a restart is in the database.
 */
export class AttackDetector {
  readonly #parts: DetectorParts;
  #watched: Map<string, Observation> | undefined;
  #resumed = new Map<string, { watch: Watch; attack: AttackRow | undefined }>();
  #epoch: string | undefined;
  #savedAt = 0;

  constructor(parts: DetectorParts) {
    this.#parts = parts;
  }

  /** Looks once; to be called as often as the edge says. */
  async tick(): Promise<void> {
    this.#watched ??= await this.#resume();
    const reading = await this.#parts.edge.readTotals();
    this.#parts.onEpoch(reading.epoch);
    const candidates = this.#look(reading);
    if (candidates.length > 0) await this.#lookCloser(candidates, reading.at);
    await this.#saveBaselines(reading.at);
  }

  /** Forgets everything: another node has taken over, or may have. */
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
    return rows.flatMap((totals) => {
      const known = before.get(totals.id);
      const entry = this.#entry(totals, at, known);
      this.#watched!.set(totals.id, entry);
      if (!known || !continues || countersReset(totals, known.totals) || at <= known.at) return [];
      return this.#judge(totals, entry, known, at);
    });
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
      classes: undefined,
      sampledAt: undefined,
    };
  }

  #judge(totals: TargetTotals, entry: Observation, known: Observation, at: Date): Candidate[] {
    const seconds = (at.getTime() - known.at.getTime()) / 1000;
    const rate = rateOf(totals.in, known.totals.in, seconds);
    const passed = rateOf(totals.passed, known.totals.passed, seconds);
    const startedAt = entry.watch.lastQuiet ?? known.at;
    const look = entry.watch.look(rate, at);
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

  async #lookCloser(candidates: Candidate[], at: Date): Promise<void> {
    const { edge } = this.#parts;
    const ids = candidates.map(({ id }) => id);
    const details = new Map((await edge.readDetail(ids)).rows.map((row) => [row.id, row.classes]));
    const portSamples = new Map(
      (await edge.readPortSamples(ids)).map((portSample) => [portSample.id, portSample]),
    );
    const toSample: string[] = [];
    for (const candidate of candidates) {
      const { entry, id } = candidate;
      const classes = details.get(id);
      const fresh = classes && entry.classes && difference(classes, entry.classes);
      entry.classes = classes;
      const attacking = fresh ? attackingClasses(fresh) : [];
      const needsSample = await this.#record(candidate, attacking, portSamples.get(id), at);
      if (!needsSample) continue;
      entry.sampledAt = at;
      toSample.push(id);
    }
    if (toSample.length > 0) await edge.startPortSample(toSample);
  }

  /** Brings the attack's record up to date and acts on it; true where a port sample is to begin. */
  async #record(
    candidate: Candidate,
    attacking: EdgeClass[],
    portSample: PortSample | undefined,
    at: Date,
  ): Promise<boolean> {
    const { look, entry } = candidate;
    const { watch, sampledAt } = entry;
    if (look === 'suspect') return true;
    entry.attack ??= await this.#open(candidate, at);
    if (!entry.attack) return false;
    const level = watch.level(candidate.rate);
    const findings = sampledAt && level > 1 ? attacking.map((name) => classify(name, portSample)) : [];
    const news = findings.filter(({ vector }) => !entry.attack!.vectors.includes(vector));
    const isStale = sampledAt !== undefined && at.getTime() - sampledAt.getTime() > SAMPLE_FRESH_MS;
    const { threshold } = watch;
    const seen = { at, rate: candidate.rate, threshold, level, dropped: candidate.dropped };
    let attack = observed(entry.attack, seen);
    // What is new is named after a port sample of its own: the one before counted other packets.
    if (!isStale)
      attack = withVectors(
        attack,
        news.map(({ vector }) => vector),
      );
    await this.#save(entry, look === 'ended' ? ended(attack, watch) : attack);
    if (look === 'ended' || !entry.attack) return false;
    if (isStale && news.length > 0) return true;
    if (level > 1) await this.#mitigate(candidate, findings, at);
    return sampledAt === undefined;
  }

  async #open({ id, startedAt }: Candidate, at: Date): Promise<AttackRow | undefined> {
    const { db, clock } = this.#parts;
    const target = await systemFindTarget(db, id);
    if (!target || target.removed_at || target.mode === 'off') return undefined;
    const attack = newAttack(newId('atk', clock), target, startedAt, at);
    return (await insertAttack(db, attack)) ? attack : undefined;
  }

  /** Writes the record; forgets it where it is over. */
  async #save(entry: Observation, attack: AttackRow): Promise<void> {
    const goesOn = (await updateAttack(this.#parts.db, attack)) && attack.status === 'ongoing';
    entry.attack = goesOn ? attack : undefined;
  }

  async #mitigate({ id, entry, passed }: Candidate, findings: Finding[], at: Date): Promise<void> {
    const { db, edge, clock, onRules } = this.#parts;
    const { watch } = entry;
    const attack = entry.attack!;
    await keepMitigating(db, attack.id, clock.now());
    if (watch.level(passed) <= 1) {
      // What is in force already, whatever its origin, is enough.
      if (!attack.mitigated_at) await this.#save(entry, { ...attack, mitigated_at: at });
      return;
    }
    const target = await systemFindTarget(db, id);
    if (target?.mode !== 'always_on') return;
    const usual = watch.baseline ?? { pps: 0, bps: 0 };
    const around = {
      family: target.family,
      usual,
      threshold: watch.threshold,
      capabilities: edge.capabilities(),
    };
    for (const finding of findings) {
      const spec = mitigationOf(finding, around);
      if (spec && (await writeAutomaticRule(db, clock, attack, spec)) === 'written') onRules(id);
    }
  }

  async #saveBaselines(at: Date): Promise<void> {
    if (at.getTime() - this.#savedAt < SAVE_BASELINES_MS) return;
    this.#savedAt = at.getTime();
    const rows = [...this.#watched!].flatMap(
      ([
        id,
        {
          watch: { baseline },
        },
      ]) => (baseline ? [{ id, ...baseline }] : []),
    );
    if (rows.length > 0) await saveBaselines(this.#parts.db, rows);
  }
}

function ended(attack: AttackRow, watch: Watch): AttackRow {
  return { ...attack, status: 'ended', ended_at: watch.quietSince! };
}
