import { type Queryable, raw, sql } from '../../database.ts';
import type { SeriesStore } from '../vms/metrics.ts';

/**
 * The series kept for each target, in the order in which a roll-up stores them. Incoming traffic is passed plus
 * dropped.
 */
export const EDGE_READINGS = ['passed_bps', 'passed_pps', 'dropped_bps', 'dropped_pps', 'out_bps'] as const;
export type EdgeReadingName = (typeof EDGE_READINGS)[number];

export const EDGE_SERIES: SeriesStore<EdgeReadingName> = {
  readings: EDGE_READINGS,
  samples: raw('edge_samples'),
  rollUps: raw('edge_rollups'),
  counters: raw('edge_counters'),
  subject: raw('target_id'),
  present: sql`select id from shield_targets where removed_at is null`,
};

/** Returns those of the given targets that have not been removed. */
export async function presentTargets(db: Queryable, ids: string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    sql`select id from shield_targets where id = any(${ids}::text[]) and removed_at is null`,
  );
  return new Set(rows.map((row) => row.id));
}
