import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import { type AttackRow, grown } from './shield-attacks.ts';

/** Returns the id of an address's target, unless the address has none or it is being removed. */
export async function systemTargetOfAddress(db: Queryable, ip: string): Promise<string | undefined> {
  const found = await maybeOne<{ id: string }>(
    db,
    sql`select id from shield_targets where ip = ${ip}::text::inet and removed_at is null`,
  );
  return found?.id;
}

/** The part of a report about an ongoing attack; its peaks only grow. */
export type Reported = Pick<
  AttackRow,
  'target_id' | 'vectors' | 'severity' | 'reason' | 'peak_bps' | 'peak_bps_at' | 'peak_pps' | 'peak_pps_at'
> & { until: Date };

/** Adds a report to the ongoing attack on a target. Returns the attack's id, or undefined if there is none. */
export async function joinReport(db: Queryable, row: Reported): Promise<string | undefined> {
  const found = await maybeOne<{ id: string }>(
    db,
    sql`
    update shield_attacks set reported_until = ${row.until}, ${grown(row)}
    where target_id = ${row.target_id} and status = 'ongoing' returning id`,
  );
  return found?.id;
}

/** Sets until when a report vouches for an attack that was just written. */
export async function markReported(db: Queryable, attackId: string, until: Date): Promise<void> {
  await execute(db, sql`update shield_attacks set reported_until = ${until} where id = ${attackId}`);
}

export async function isReported(db: Queryable, attackId: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from shield_attacks where id = ${attackId} and reported_until > ${now}`,
  );
  return rows.length > 0;
}

/** Ends a reported attack on a target. Returns its id, or undefined if none is reported. */
export async function endReport(db: Queryable, targetId: string, now: Date): Promise<string | undefined> {
  const found = await maybeOne<{ id: string }>(
    db,
    sql`
    update shield_attacks set status = 'ended', ended_at = ${now}, reported_until = ${now}
    where target_id = ${targetId} and status = 'ongoing' and reported_until is not null returning id`,
  );
  return found?.id;
}

/** Ends attacks whose reports have expired; returns those that are still ongoing. */
export async function followReports(db: Queryable, now: Date): Promise<string[]> {
  await execute(
    db,
    sql`
    update shield_attacks set status = 'ended', ended_at = reported_until where id in (
      select id from shield_attacks where status = 'ongoing' and reported_until <= ${now}
      order by id for no key update skip locked)`,
  );
  const rows = await db.query<{ id: string }>(
    sql`select id from shield_attacks where status = 'ongoing' and reported_until > ${now}`,
  );
  return rows.map(({ id }) => id);
}
