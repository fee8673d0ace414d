import { execute, maybeOne, type Queryable, sql } from '../database.ts';
import { type AttackRow, grown } from './shield-attacks.ts';

/** The id of the target of an address, where it is one and not on its way out. */
export async function systemTargetOfAddress(db: Queryable, ip: string): Promise<string | undefined> {
  const found = await maybeOne<{ id: string }>(
    db,
    sql`select id from shield_targets where ip = ${ip}::text::inet and removed_at is null`,
  );
  return found?.id;
}

/** What a report says of an attack that goes on; its peaks only grow. */
export type Reported = Pick<
  AttackRow,
  'target_id' | 'vectors' | 'severity' | 'reason' | 'peak_bps' | 'peak_bps_at' | 'peak_pps' | 'peak_pps_at'
> & { until: Date };

/** Adds a report to the attack on a target that goes on; its id, or undefined where there is none. */
export async function joinReport(db: Queryable, row: Reported): Promise<string | undefined> {
  const found = await maybeOne<{ id: string }>(
    db,
    sql`
    update shield_attacks set reported_until = ${row.until}, ${grown(row)}
    where target_id = ${row.target_id} and status = 'ongoing' returning id`,
  );
  return found?.id;
}

/** Says until when a report holds of an attack that was just written. */
export async function markReported(db: Queryable, attackId: string, until: Date): Promise<void> {
  await execute(db, sql`update shield_attacks set reported_until = ${until} where id = ${attackId}`);
}

/** Whether a report says that an attack goes on. */
export async function isReported(db: Queryable, attackId: string, now: Date): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from shield_attacks where id = ${attackId} and reported_until > ${now}`,
  );
  return rows.length > 0;
}

/** Ends what was reported of a target; the attack's id, or undefined where nothing is. */
export async function endReport(db: Queryable, targetId: string, now: Date): Promise<string | undefined> {
  const found = await maybeOne<{ id: string }>(
    db,
    sql`
    update shield_attacks set status = 'ended', ended_at = ${now}, reported_until = ${now}
    where target_id = ${targetId} and status = 'ongoing' and reported_until is not null returning id`,
  );
  return found?.id;
}

/** Ends attacks whose reports have run out; those that go on. */
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
