import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import { ifGiven } from '../filters.ts';
import { type Page, pageOf } from '../page.ts';
import { deleteSome } from '../service/purge.ts';

export const ATTACK_VECTORS = [
  'syn_flood',
  'udp_flood',
  'dns_amplification',
  'ntp_amplification',
  'icmp_flood',
  'fragment_flood',
  'other',
] as const;
export type AttackVector = (typeof ATTACK_VECTORS)[number];
export const SEVERITIES = ['low', 'medium', 'high', 'critical'] as const;
export type Severity = (typeof SEVERITIES)[number];
export const ATTACK_STATUSES = ['ongoing', 'ended'] as const;

export interface AttackRow {
  id: string;
  account_id: string;
  tenant_id: string;
  target_id: string;
  ip: string;
  status: (typeof ATTACK_STATUSES)[number];
  vectors: AttackVector[];
  severity: Severity;
  reason: string;
  started_at: Date;
  mitigated_at: Date | null;
  ended_at: Date | null;
  peak_bps: bigint;
  peak_bps_at: Date;
  peak_pps: bigint;
  peak_pps_at: Date;
  dropped_bytes: bigint;
  dropped_packets: bigint;
}

const columns = sql`id, account_id, tenant_id, target_id, host(ip) as ip, status, vectors, severity, reason, started_at,
  mitigated_at, ended_at, peak_bps, peak_bps_at, peak_pps, peak_pps_at, dropped_bytes, dropped_packets`;

/** Inserts a new attack; returns false if the target already has an ongoing one. */
export async function insertAttack(db: Queryable, row: AttackRow): Promise<boolean> {
  const rows = await db.query(sql`
    insert into shield_attacks (id, account_id, tenant_id, target_id, ip, status, vectors, severity, reason, started_at,
      mitigated_at, ended_at, peak_bps, peak_bps_at, peak_pps, peak_pps_at, dropped_bytes, dropped_packets)
    values (${row.id}, ${row.account_id}, ${row.tenant_id}, ${row.target_id}, ${row.ip}::text::inet, ${row.status}, ${row.vectors},
      ${row.severity}, ${row.reason}, ${row.started_at}, ${row.mitigated_at}, ${row.ended_at}, ${row.peak_bps}, ${row.peak_bps_at},
      ${row.peak_pps}, ${row.peak_pps_at}, ${row.dropped_bytes}, ${row.dropped_packets})
    on conflict (target_id) where status = 'ongoing' do nothing returning id`);
  return rows.length > 0;
}

/**
 * Merges an attack's stored values with new ones: the detector and reports from other programs write the same row, and
 * neither knows what the other has found since it read it.
 */
export const grown = (
  row: Pick<AttackRow, 'vectors' | 'peak_bps' | 'peak_bps_at' | 'peak_pps' | 'peak_pps_at'>,
) => sql`
  vectors = array(select v from unnest(vectors || ${row.vectors}::text[]) with ordinality as u (v, n) group by v order by min(n)),
  peak_bps = greatest(peak_bps, ${row.peak_bps}),
  peak_bps_at = case when ${row.peak_bps} > peak_bps then ${row.peak_bps_at} else peak_bps_at end,
  peak_pps = greatest(peak_pps, ${row.peak_pps}),
  peak_pps_at = case when ${row.peak_pps} > peak_pps then ${row.peak_pps_at} else peak_pps_at end`;

/**
 * Updates an attack; returns false if it has ended in the meantime. `mitigated_at` is only set here for an attack that
 * needs no rule of ours; otherwise it is set once the edge has the rule.
 */
export async function updateAttack(db: Queryable, row: AttackRow): Promise<boolean> {
  const rows = await db.query(sql`
    update shield_attacks set status = ${row.status}, severity = ${row.severity}, reason = ${row.reason},
      mitigated_at = coalesce(mitigated_at, ${row.mitigated_at}), ended_at = ${row.ended_at}, ${grown(row)},
      dropped_bytes = ${row.dropped_bytes}, dropped_packets = ${row.dropped_packets}
    where id = ${row.id} and status = 'ongoing' returning id`);
  return rows.length > 0;
}

/** Returns the ongoing attacks of all accounts, for the detector. */
export function systemOngoingAttacks(db: Queryable): Promise<AttackRow[]> {
  return db.query<AttackRow>(sql`select ${columns} from shield_attacks where status = 'ongoing'`);
}

export function systemFindOngoingAttack(db: Queryable, targetId: string): Promise<AttackRow | undefined> {
  return maybeOne<AttackRow>(
    db,
    sql`select ${columns} from shield_attacks where target_id = ${targetId} and status = 'ongoing'`,
  );
}

export async function endAttacks(db: Queryable, targetId: string, at: Date): Promise<void> {
  await execute(
    db,
    sql`
    update shield_attacks set status = 'ended', ended_at = ${at}
    where target_id = ${targetId} and status = 'ongoing'`,
  );
}

export interface AttackFilter {
  status?: AttackRow['status'];
  from?: Date;
  to?: Date;
}

export function listAttacks(
  db: Queryable,
  targetId: string,
  filter: AttackFilter,
  page: Page,
): Promise<AttackRow[]> {
  return db.query<AttackRow>(sql`
    select ${columns} from shield_attacks
    where target_id = ${targetId} and ${ifGiven(filter.status, (status) => sql`status = ${status}`)}
      and ${ifGiven(filter.from, (from) => sql`started_at >= ${from}`)}
      and ${ifGiven(filter.to, (to) => sql`started_at < ${to}`)} ${pageOf(sql`id`, page)}`);
}

/** Returns attacks on all targets, newest first, for the operator. */
export function systemListAttacks(
  db: Queryable,
  status: AttackRow['status'] | undefined,
  page: Page,
): Promise<AttackRow[]> {
  return db.query<AttackRow>(sql`
    select ${columns} from shield_attacks where ${ifGiven(status, (given) => sql`status = ${given}`)}
    ${pageOf(sql`id`, page)}`);
}

export function deleteAttacksBefore(db: Queryable, before: Date, limit: number): Promise<number> {
  const where = sql`ended_at < ${before}`;
  return deleteSome(db, { table: sql`shield_attacks`, where, order: sql`ended_at` }, limit);
}
