import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import { type Page, pageOf } from '../page.ts';

/** A guest that belongs to no VM. Its size is null until it could be read. */
export interface OrphanRow {
  guest_id: string;
  engine: string;
  /** The guest's host; null if the guest was found before hosts were recorded. */
  host_id: string | null;
  vcpu: number | null;
  ram_mb: number | null;
  disk_gb: number | null;
  found_at: Date;
  /** Addresses that the guest uses. None of them is sold while it exists. */
  addresses: string[];
}

export type NewOrphan = Omit<OrphanRow, 'found_at'>;

const columns = sql`guest_id, engine, host_id, vcpu, ram_mb, disk_gb, found_at, array(
  select host(address) from orphan_addresses held
  where held.engine = orphan_guests.engine and held.guest_id = orphan_guests.guest_id order by address) as addresses`;

/** Lists all orphans of an engine. */
export function orphansOf(db: Queryable, engine: string): Promise<OrphanRow[]> {
  return db.query<OrphanRow>(
    sql`select ${columns} from orphan_guests where engine = ${engine} order by guest_id`,
  );
}

export function findOrphan(db: Queryable, engine: string, id: string): Promise<OrphanRow | undefined> {
  return maybeOne<OrphanRow>(
    db,
    sql`select ${columns} from orphan_guests where engine = ${engine} and guest_id = ${id}`,
  );
}

/** Lists the orphans of all engines for the operator, in descending order of id. */
export function listOrphans(db: Queryable, page: Page): Promise<(OrphanRow & { id: string })[]> {
  return db.query(
    sql`select guest_id as id, ${columns} from orphan_guests where true ${pageOf(sql`guest_id collate "C"`, page)}`,
  );
}

/** Records an orphan, or updates what is known about it, and reserves its addresses. Returns true if it was new. */
export async function noteOrphan(db: Queryable, orphan: NewOrphan, at: Date): Promise<boolean> {
  const { engine, guest_id, host_id, vcpu, ram_mb, disk_gb, addresses } = orphan;
  const [row] = await db.query<{ fresh: boolean }>(sql`
    insert into orphan_guests (engine, guest_id, host_id, vcpu, ram_mb, disk_gb, found_at)
    values (${engine}, ${guest_id}, ${host_id}, ${vcpu}, ${ram_mb}, ${disk_gb}, ${at})
    on conflict (engine, guest_id) do update set host_id = excluded.host_id, vcpu = excluded.vcpu, ram_mb = excluded.ram_mb, disk_gb = excluded.disk_gb
    returning found_at = ${at} as fresh`);
  await execute(
    db,
    sql`
    insert into orphan_addresses (engine, guest_id, address)
    select ${engine}, ${guest_id}, address::inet from unnest(${addresses}::text[]) as given (address)
    on conflict do nothing`,
  );
  return row!.fresh;
}

/** Deletes an orphan that no longer exists. Its addresses rest from `at` on, like those of a deleted VM. */
export async function forgetOrphan(
  db: Queryable,
  { engine, guest_id, addresses }: Pick<OrphanRow, 'engine' | 'guest_id' | 'addresses'>,
  at: Date,
): Promise<void> {
  await execute(
    db,
    sql`
    update ip_addresses set released_at = ${at} where vm_id is null and address = any(${addresses}::inet[])`,
  );
  await execute(db, sql`delete from orphan_guests where engine = ${engine} and guest_id = ${guest_id}`);
}

/** Returns those of the ids that belong to existing VMs, on any engine. */
export async function livingAmong(db: Queryable, ids: string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    sql`select id from vms where deleted_at is null and id = any(${ids}::text[])`,
  );
  return new Set(rows.map(({ id }) => id));
}
