import type { AttackRow } from '../db/queries/shield/shield-attacks.ts';
import type { EdgeClass, TargetTotals, Volume } from '../edge/driver.ts';
import type { Look, Rate, Watch } from './baseline.ts';
import type { Recent } from './recent.ts';
import type { UsualClasses } from './usual-classes.ts';

/** The detector's memory of a target between looks. */
export interface Observation {
  watch: Watch;
  totals: TargetTotals;
  at: Date;
  recent: Recent;
  attack: AttackRow | undefined;
  /** A suspect's classes at the previous look. */
  classes: Record<EdgeClass, Volume> | undefined;
  /** When the last port sample started. */
  sampledAt: Date | undefined;
  /** True if the last port sample has been acted on. */
  hasActed: boolean;
  usual: UsualClasses;
}

/** A target that gets a closer look, with its traffic since the previous one. */
export interface Candidate {
  id: string;
  look: Exclude<Look, 'quiet'>;
  entry: Observation;
  rate: Rate;
  passed: Rate;
  dropped: Volume;
  startedAt: Date;
}

/** Returns true if the counters have restarted, which shows in lower values. */
export function countersReset(now: TargetTotals, before: TargetTotals): boolean {
  return now.in.packets < before.in.packets || now.passed.packets < before.passed.packets;
}

export function rateOf(now: Volume, before: Volume, seconds: number): Rate {
  return {
    pps: (now.packets - before.packets) / seconds,
    bps: (8 * (now.bytes - before.bytes)) / seconds,
  };
}
