import { execute, maybeOne, one, type Queryable, type Sql, sql } from '../../database.ts';
import { actsFor } from '../access/memberships.ts';
import { type Page, pageOf } from '../page.ts';
import { deleteSome } from '../service/purge.ts';

export type ShareMode = 'read_only' | 'read_write';

export interface ShareRow {
  id: string;
  account_id: string;
  vm_id: string;
  /** The key or person that made the share. */
  principal_id: string;
  mode: ShareMode;
  label: string | null;
  max_viewers: number;
  created_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
  last_used_at: Date | null;
}

export interface ShareView extends ShareRow {
  viewers: number;
}

/**
 * A viewer that its node has not confirmed for this long is gone, and so is the node. This spans several rounds of
 * {@link renewViewerSlots}, so that the viewers of a busy node keep their seats.
 */
const SEAT_MS = 60_000;

const columns = sql`id, account_id, vm_id, principal_id, mode, label, max_viewers, created_at, expires_at, revoked_at, last_used_at`;

/** A share is only valid as long as the key that made it, or as long as its maker can act in the account. */
const isActive = (now: Date): Sql => sql`revoked_at is null and expires_at > ${now} and (exists (
  select 1 from api_keys where api_keys.id = principal_id and api_keys.revoked_at is null
    and (api_keys.expires_at is null or api_keys.expires_at > ${now}))
  or exists (select 1 from memberships where ${actsFor(sql`principal_id`, sql`console_shares.account_id`)}))`;

const viewers = (now: Date): Sql => sql`(select count(*)::int from console_viewers
  where share_id = console_shares.id and seen_at > ${new Date(now.getTime() - SEAT_MS)})`;

export type NewShare = Omit<ShareRow, 'revoked_at' | 'last_used_at'>;

export function insertShare(db: Queryable, share: NewShare, hash: Uint8Array): Promise<ShareRow> {
  return one<ShareRow>(
    db,
    sql`insert into console_shares (id, account_id, vm_id, principal_id, hash, mode, label, max_viewers, created_at, expires_at)
        values (${share.id}, ${share.account_id}, ${share.vm_id}, ${share.principal_id}, ${hash}, ${share.mode}, ${share.label},
          ${share.max_viewers}, ${share.created_at}, ${share.expires_at}) returning ${columns}`,
  );
}

export function listActiveShares(db: Queryable, vmId: string, now: Date, page: Page): Promise<ShareView[]> {
  return db.query<ShareView>(
    sql`select ${columns}, ${viewers(now)} as viewers from console_shares
        where vm_id = ${vmId} and ${isActive(now)} ${pageOf(sql`id`, page)}`,
  );
}

export async function countActiveShares(db: Queryable, vmId: string, now: Date): Promise<number> {
  const row = await one<{ n: number }>(
    db,
    sql`select count(*)::int as n from console_shares where vm_id = ${vmId} and ${isActive(now)}`,
  );
  return row.n;
}

export function findActiveShare(
  db: Queryable,
  vmId: string,
  id: string,
  now: Date,
): Promise<ShareRow | undefined> {
  return maybeOne<ShareRow>(
    db,
    sql`select ${columns} from console_shares where id = ${id} and vm_id = ${vmId} and ${isActive(now)}`,
  );
}

/** Returns the share that a secret opens, if it is still active. */
export function findShareBySecret(
  db: Queryable,
  id: string,
  hash: Uint8Array,
  now: Date,
): Promise<ShareRow | undefined> {
  return maybeOne<ShareRow>(
    db,
    sql`select ${columns} from console_shares where id = ${id} and hash = ${hash} and ${isActive(now)}`,
  );
}

/** Returns those of the given ids whose shares are still active. */
export async function activeShares(db: Queryable, ids: string[], now: Date): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    sql`select id from console_shares where id = any(${ids}::text[]) and ${isActive(now)}`,
  );
  return new Set(rows.map((row) => row.id));
}

export async function revokeShare(db: Queryable, id: string, at: Date): Promise<void> {
  await execute(db, sql`update console_shares set revoked_at = ${at} where id = ${id}`);
}

/** Gives a viewer one of the share's seats, counted across all nodes; returns false if all are taken. */
export async function takeViewerSlot(
  tx: Queryable,
  share: ShareRow,
  viewerId: string,
  now: Date,
): Promise<boolean> {
  // Locks the share, so that two viewers cannot both take the last seat.
  await execute(tx, sql`update console_shares set last_used_at = ${now} where id = ${share.id}`);
  const taken = await tx.query(sql`
    insert into console_viewers (id, share_id, seen_at)
    select ${viewerId}, ${share.id}, ${now} from console_shares
    where id = ${share.id} and ${viewers(now)} < max_viewers returning id`);
  return taken.length > 0;
}

export async function releaseViewerSlot(db: Queryable, viewerId: string): Promise<void> {
  await execute(db, sql`delete from console_viewers where id = ${viewerId}`);
}

/** Confirms that these viewers are still connected. */
export async function renewViewerSlots(db: Queryable, viewerIds: string[], now: Date): Promise<void> {
  await execute(
    db,
    sql`
    update console_viewers set seen_at = ${now} where id in (
      select id from console_viewers where id = any(${viewerIds}::text[]) order by id for no key update skip locked)`,
  );
}

/** Deletes viewers whose node has died; they no longer counted anyway. */
export function deleteExpiredViewerSlots(db: Queryable, now: Date, limit: number): Promise<number> {
  const where = sql`seen_at < ${new Date(now.getTime() - SEAT_MS)}`;
  return deleteSome(db, { table: sql`console_viewers`, where, order: sql`seen_at` }, limit);
}

export function deleteSharesBefore(db: Queryable, at: Date, limit: number): Promise<number> {
  const where = sql`expires_at < ${at}`;
  return deleteSome(db, { table: sql`console_shares`, where, order: sql`expires_at` }, limit);
}
