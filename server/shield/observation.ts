import type { AttackRow } from '../db/queries/shield-attacks.ts';
import type { EdgeClass, TargetTotals, Volume } from '../edge/driver.ts';
import type { Look, Rate, Watch } from './baseline.ts';
import type { Recent } from './recent.ts';
import type { UsualClasses } from './usual-classes.ts';

/** What is remembered of a target from one look to the next. */
export interface Observation {
  watch: Watch;
  totals: TargetTotals;
  at: Date;
  recent: Recent;
  attack: AttackRow | undefined;
  /** The classes at the look before, of a suspect. */
  classes: Record<EdgeClass, Volume> | undefined;
  /** When a port sample was last begun. */
  sampledAt: Date | undefined;
  /** What that sample says was acted on. */
  hasActed: boolean;
  usual: UsualClasses;
}

/** A target that is looked at more closely: what came in since the look before. */
export interface Candidate {
  id: string;
  look: Exclude<Look, 'quiet'>;
  entry: Observation;
  rate: Rate;
  passed: Rate;
  dropped: Volume;
  startedAt: Date;
}

/** Counters that are lower than before have restarted. */
export function countersReset(now: TargetTotals, before: TargetTotals): boolean {
  return now.in.packets < before.in.packets || now.passed.packets < before.passed.packets;
}

export function rateOf(now: Volume, before: Volume, seconds: number): Rate {
  return {
    pps: (now.packets - before.packets) / seconds,
    bps: (8 * (now.bytes - before.bytes)) / seconds,
  };
}
