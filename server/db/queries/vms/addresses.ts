import { execute, maybeOne, one, type Queryable, type Sql, sql } from '../../database.ts';

export interface VmAddress {
  address: string;
  family: 4 | 6;
  prefix: number;
  gateway: string;
}

/** A range that addresses are allocated from. */
export interface Pool {
  name: string;
  /** "100.64.0.0/14" */
  network: string;
}

/**
 * Creates the pools, or widens them after the catalog changed. A network's own address and the gateway (the first
 * usable one) are never allocated, nor is IPv4's broadcast address.
 */
export async function ensurePools(db: Queryable, pools: Pool[]): Promise<void> {
  await execute(
    db,
    sql`
    insert into ip_pools (name, network, next_offset, last_offset)
    select name, net, 2, (case when family(net) = 4 then 2 ^ (32 - masklen(net)) - 2
      else 2 ^ least(128 - masklen(net), 62) - 1 end)::bigint
    from (select name, network::cidr as net
      from json_to_recordset(${JSON.stringify(pools)}::text::json) as p (name text, network text)) as pool
    order by name
    on conflict (name) do update set network = excluded.network, last_offset = excluded.last_offset`,
  );
}

/** An orphan guest that uses the address; the address is not sold while there is one. */
const isHeld = (address: Sql) => sql`select from orphan_addresses held where held.address = ${address}`;

/** Returns those pools that have an address that {@link allocateAddress} could allocate. */
export async function poolsWithRoom(db: Queryable, restedSince: Date): Promise<Set<string>> {
  const rows = await db.query<{ name: string }>(sql`
    select name from ip_pools where next_offset <= last_offset or exists (
      select from ip_addresses where pool = ip_pools.name and vm_id is null and released_at < ${restedSince}
        and not exists (${isHeld(sql`ip_addresses.address`)}))`);
  return new Set(rows.map(({ name }) => name));
}

/**
 * Allocates an address of the pool to a VM: one released before `restedSince`, otherwise a never-used one. Undefined if
 * the pool is empty. Skips addresses that an orphan uses (see `queries/orphans.ts`). Two callers never get the same
 * address: rows are locked, and the address is the primary key.
 */
export async function allocateAddress(
  db: Queryable,
  pool: string,
  vmId: string,
  restedSince: Date,
): Promise<string | undefined> {
  for (;;) {
    const given = await maybeOne<{ address: string; vm_id: string | null }>(
      db,
      sql`
      with rested as (
        update ip_addresses set vm_id = ${vmId}, released_at = null
        where address = (select address from ip_addresses where pool = ${pool} and vm_id is null and released_at < ${restedSince}
            and not exists (${isHeld(sql`ip_addresses.address`)})
          order by released_at limit 1 for no key update skip locked)
        returning address, vm_id
      ), taken as (
        update ip_pools set next_offset = next_offset + 1
        where name = ${pool} and next_offset <= last_offset and not exists (select from rested)
        returning host(network)::inet + (next_offset - 1) as address
      ), fit as (
        select address, exists (${isHeld(sql`taken.address`)}) as held from taken
      ), fresh as (
        insert into ip_addresses (address, pool, vm_id, released_at)
        select address, ${pool}, case when not held then ${vmId} end, case when held then ${restedSince}::timestamptz end
        from fit returning address, vm_id
      )
      select host(address) as address, vm_id from (table rested union all table fresh) as given`,
    );
    // An address that an orphan uses is skipped; it can be sold once the orphan is gone.
    if (!given || given.vm_id !== null) return given?.address;
  }
}

export function addressesOf(db: Queryable, vmId: string): Promise<VmAddress[]> {
  return db.query<VmAddress>(sql`
    select host(a.address) as address, family(a.address) as family, masklen(p.network) as prefix,
      host(host(p.network)::inet + 1) as gateway
    from ip_addresses a join ip_pools p on p.name = a.pool where a.vm_id = ${vmId} order by family(a.address), a.address`);
}

/** Puts a VM's addresses into quarantine before they are allocated again. */
export async function releaseAddresses(db: Queryable, vmId: string, at: Date): Promise<void> {
  await execute(db, sql`update ip_addresses set vm_id = null, released_at = ${at} where vm_id = ${vmId}`);
}

export function freeAddressCount(db: Queryable, pool: string): Promise<{ free: bigint }> {
  return one(db, sql`select last_offset - next_offset + 1 as free from ip_pools where name = ${pool}`);
}
