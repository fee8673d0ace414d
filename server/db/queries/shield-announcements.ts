import { execute, type Queryable, sql, type Transaction } from '../database.ts';
import type { AttackVector } from './shield-attacks.ts';

/** An attack of which something is still to be counted and mailed. */
export interface AnnouncedAttack {
  id: string;
  account_id: string;
  ip: string;
  /** Of the VM that was attacked; null where it is gone. */
  hostname: string | null;
  vectors: AttackVector[];
  peak_bps: bigint;
  status: 'ongoing' | 'ended';
  started_at: Date;
  mitigated_at: Date | null;
  ended_at: Date | null;
  announced: string[];
  /** The target had another within the hour before it. */
  is_repeated: boolean;
}

/** Attacks that have come further than was announced, oldest first, locked; those that others lock are left for later. */
export function lockUnannounced(tx: Transaction, limit: number): Promise<AnnouncedAttack[]> {
  return tx.query<AnnouncedAttack>(sql`
    select a.id, a.account_id, host(a.ip) as ip, a.vectors, a.peak_bps, a.status, a.started_at, a.mitigated_at, a.ended_at,
      a.announced, (
        select v.hostname from shield_targets t join vms v on v.id = t.vm_id where t.id = a.target_id
      ) as hostname, exists (
        select 1 from shield_attacks b
        where b.target_id = a.target_id and b.id < a.id and b.started_at > a.started_at - interval '1 hour'
      ) as is_repeated
    from shield_attacks a
    where not a.announced @> '{ended}' and (not a.announced @> '{started}' or a.status = 'ended'
      or (a.mitigated_at is not null and not a.announced @> '{mitigated}'))
    order by a.id limit ${limit} for no key update of a skip locked`);
}

export async function setAnnounced(db: Queryable, id: string, moments: string[]): Promise<void> {
  await execute(db, sql`update shield_attacks set announced = ${moments} where id = ${id}`);
}
