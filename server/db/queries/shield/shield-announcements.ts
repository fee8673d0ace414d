import { execute, type Queryable, sql, type Transaction } from '../../database.ts';
import type { AttackVector } from './shield-attacks.ts';

/** An attack with stages that are still to be counted and mailed. */
export interface AnnouncedAttack {
  id: string;
  account_id: string;
  ip: string;
  /** Host name of the attacked VM; null if it is gone. */
  hostname: string | null;
  vectors: AttackVector[];
  peak_bps: bigint;
  status: 'ongoing' | 'ended';
  started_at: Date;
  mitigated_at: Date | null;
  ended_at: Date | null;
  announced: string[];
  /** True if the target was under another attack within the hour before. */
  is_repeated: boolean;
}

/**
 * Returns attacks with stages that were not announced yet, oldest first, and locks them. Those locked by others are
 * left for later.
 */
export function lockUnannounced(tx: Transaction, limit: number): Promise<AnnouncedAttack[]> {
  return tx.query<AnnouncedAttack>(sql`
    select id, account_id, host(ip) as ip, vectors, peak_bps, status, started_at, mitigated_at, ended_at, announced, (
        select vms.hostname from shield_targets target join vms on vms.id = target.vm_id
        where target.id = shield_attacks.target_id
      ) as hostname, exists (
        select 1 from shield_attacks earlier
        where earlier.target_id = shield_attacks.target_id and earlier.id < shield_attacks.id
          and earlier.started_at > shield_attacks.started_at - interval '1 hour'
      ) as is_repeated
    from shield_attacks
    where not announced @> '{ended}' and (not announced @> '{started}' or status = 'ended'
      or (mitigated_at is not null and not announced @> '{mitigated}'))
    order by id limit ${limit} for no key update skip locked`);
}

export async function setAnnounced(db: Queryable, id: string, moments: string[]): Promise<void> {
  await execute(db, sql`update shield_attacks set announced = ${moments} where id = ${id}`);
}
