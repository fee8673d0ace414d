import { execute, maybeOne, type Queryable, sql } from '../../database.ts';
import type { HostState } from '../../enums.ts';
import type { MoveWindow } from './move-windows.ts';

/** A host's state as the service records it, in addition to what its engine reports. */
export interface HostRow {
  id: string;
  state: HostState;
  /** Since when the host has been unreachable; null while it is reachable. */
  lost_at: Date | null;
  /**
   * Window in which a drained host's VMs are moved if they have to be switched off for that; null if they are moved at
   * once.
   */
  moves_from_at: Date | null;
  moves_to_at: Date | null;
}

const COLUMNS = sql`id, state, lost_at, moves_from_at, moves_to_at`;

/** A host as the operator sees it, with its VMs and its size; null means no limit. */
export interface HostView extends HostRow {
  name: string;
  zones: string[] | null;
  vcpu: number | null;
  cores: number | null;
  ram_mb: number | null;
  disk_gb: number | null;
  seen_at: Date;
  vms: number;
  moving_in: number;
}

export interface ReportedHost {
  id: string;
  name: string;
  zones: readonly string[] | null;
  reachable: boolean;
  vcpu: number | null;
  cores: number | null;
  ram_mb: number | null;
  disk_gb: number | null;
}

export function hostsOf(db: Queryable, engine: string): Promise<HostRow[]> {
  return db.query<HostRow>(sql`select ${COLUMNS} from hosts where engine = ${engine}`);
}

/**
 * Returns the ids of the hosts that accept new VMs. The query returns one row however many hosts there are, because
 * every order runs it.
 */
export async function openHosts(db: Queryable, engine: string): Promise<ReadonlySet<string>> {
  const row = await maybeOne<{ ids: string[] }>(
    db,
    sql`
    select array(select id::text from hosts where engine = ${engine} and state = 'up' and lost_at is null) as ids`,
  );
  return new Set(row!.ids);
}

/** Lists all recorded hosts, except those of removed clusters. */
export function listHosts(db: Queryable, engine: string): Promise<HostView[]> {
  return db.query<HostView>(sql`
    select ${COLUMNS}, name, zones, vcpu, cores, ram_mb, disk_gb, seen_at,
      (select count(*)::int from vms where vms.host_id = hosts.id and deleted_at is null) as vms,
      (select count(*)::int from vms where vms.moving_to = hosts.id and deleted_at is null) as moving_in
    from hosts where engine = ${engine} and not exists (
      select from clusters where removed_at is not null and starts_with(hosts.id, clusters.id || ':'))
    order by name, id`);
}

/** Finds a host by id or name; the id takes precedence. */
export async function findHost(
  db: Queryable,
  engine: string,
  idOrName: string,
): Promise<HostRow | undefined> {
  return maybeOne<HostRow>(
    db,
    sql`
    select ${COLUMNS} from hosts where engine = ${engine} and (id = ${idOrName} or name = ${idOrName})
    order by id = ${idOrName} desc limit 1`,
  );
}

/** Returns the host and locks it: other purchases on it wait until this transaction ends. */
export function lockHost(db: Queryable, id: string): Promise<HostRow | undefined> {
  return maybeOne<HostRow>(db, sql`select ${COLUMNS} from hosts where id = ${id} for no key update`);
}

/** Locks and returns the first of these hosts that no other transaction holds. Does not wait. */
export function lockFreeHost(db: Queryable, ids: readonly string[]): Promise<HostRow | undefined> {
  return maybeOne<HostRow>(
    db,
    sql`
    select ${COLUMNS} from hosts where id = any(${ids}::text[])
    order by array_position(${ids}::text[], id::text) limit 1 for no key update skip locked`,
  );
}

/** Returns the hosts that have VMs of the account, or to which one is being moved. */
export async function hostsWithVmsOf(db: Queryable, accountId: string): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(sql`
    select host_id as id from vms where account_id = ${accountId} and deleted_at is null and host_id is not null
    union select moving_to from vms where account_id = ${accountId} and deleted_at is null and moving_to is not null`);
  return new Set(rows.map(({ id }) => id));
}

/**
 * Records the hosts that the engine reports. Those that it cannot reach or does not report are lost as of `at`. Returns
 * the hosts that this changed from reachable to lost or back.
 */
export async function recordHosts(
  db: Queryable,
  engine: string,
  hosts: readonly ReportedHost[],
  at: Date,
): Promise<{ id: string; lost: boolean }[]> {
  const reported = JSON.stringify(hosts.map((host) => ({ ...host, zones: host.zones ?? null })));
  await execute(
    db,
    sql`
    insert into hosts (id, engine, name, zones, vcpu, cores, ram_mb, disk_gb, seen_at)
    select id, ${engine}, name, zones, vcpu, cores, ram_mb, disk_gb, ${at}::timestamptz
    from jsonb_to_recordset(${reported}::jsonb) as reported(id text, name text, zones text[], vcpu double precision,
      cores double precision, ram_mb double precision, disk_gb double precision, reachable boolean)
    order by id
    on conflict (id) do update set engine = excluded.engine, name = excluded.name, zones = excluded.zones, vcpu = excluded.vcpu,
      cores = excluded.cores, ram_mb = excluded.ram_mb, disk_gb = excluded.disk_gb
    where row(hosts.name, hosts.zones, hosts.vcpu, hosts.cores, hosts.ram_mb, hosts.disk_gb) is distinct from
      row(excluded.name, excluded.zones, excluded.vcpu, excluded.cores, excluded.ram_mb, excluded.disk_gb)`,
  );
  const seen = hosts.filter(({ reachable }) => reachable).map(({ id }) => id);
  return db.query(sql`
    with now_seen as (
      select id, id = any(${seen}::text[]) as seen, lost_at is not null as was_lost
      from hosts where engine = ${engine} order by id for no key update
    ), written as (
      update hosts set seen_at = case when seen then ${at}::timestamptz else seen_at end,
        lost_at = case when not seen then coalesce(lost_at, ${at}::timestamptz) end
      from now_seen where hosts.id = now_seen.id
    )
    select id, not seen as lost from now_seen where seen = was_lost order by id`);
}

/**
 * Records that no host of the engine is reachable as of `at`. Returns the ids of those that were reachable until then.
 */
export async function loseHosts(db: Queryable, engine: string, at: Date): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    with found as (
      select id from hosts where engine = ${engine} and lost_at is null order by id for no key update
    )
    update hosts set lost_at = ${at} from found where hosts.id = found.id returning hosts.id`);
  return rows.map(({ id }) => id).sort();
}

/** Assigns to this host all VMs whose host was not recorded, such as those of an earlier release. */
export async function adoptVms(db: Queryable, engine: string, hostId: string): Promise<void> {
  await execute(
    db,
    sql`
    update vms set host_id = ${hostId} where id in (
      select id from vms where engine = ${engine} and host_id is null and deleted_at is null
      order by id for no key update)`,
  );
}

const isOff = sql`vms.status in ('stopped', 'suspended')`;
const WHICH = {
  all: sql`true`,
  off: isOff,
  off_or_not_told: sql`(${isOff} or (told.from_at, told.to_at) is distinct from (moves_from_at, moves_to_at))`,
};

/**
 * Returns provisioned VMs on a host that have capacity reserved and no active job, in order of id: they have a guest
 * there, or may have. `all` returns all of them, `off` those that are switched off, and `off_or_not_told` also those
 * whose owners have not been notified of the host's move window.
 */
export async function restingVms(
  db: Queryable,
  hostId: string,
  which: keyof typeof WHICH,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select vms.id from vms join reservations on reservations.vm_id = vms.id join hosts on hosts.id = host_id
      left join vm_move_windows told on told.vm_id = vms.id
    where host_id = ${hostId} and deleted_at is null and active_job_id is null and provisioned_at is not null and ${WHICH[which]}
    order by vms.id limit ${limit}`);
  return rows.map(({ id }) => id);
}

/**
 * Returns idle VMs whose owners were notified of a move that will not happen: their host is no longer being drained, or
 * its window is over.
 */
export async function vmsNotToBeMoved(
  db: Queryable,
  engine: string,
  now: Date,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select vms.id from vm_move_windows join vms on vms.id = vm_id join hosts on hosts.id = host_id
    where hosts.engine = ${engine} and deleted_at is null and active_job_id is null
      and (state = 'up' or moves_to_at <= ${now})
    order by vms.id limit ${limit}`);
  return rows.map(({ id }) => id);
}

/** Counts the VMs that have capacity reserved on a host, and how many of those are being moved away. */
export async function occupancy(db: Queryable, hostId: string): Promise<{ vms: number; leaving: number }> {
  const row = await maybeOne<{ vms: number; leaving: number }>(
    db,
    sql`
    select count(*)::int as vms, (count(*) filter (where host_id = ${hostId} and moving_to is not null))::int as leaving
    from vms join reservations on vm_id = id where ${hostId} in (host_id, moving_to) and deleted_at is null`,
  );
  return row!;
}

/**
 * Starts draining a host that is not drained yet. VMs that have to be switched off for that are moved in `window`; null
 * means at once.
 */
export async function drainHost(db: Queryable, id: string, window: MoveWindow | null): Promise<void> {
  await execute(
    db,
    sql`
    update hosts set state = case when state = 'up' then 'draining' else state end,
      moves_from_at = ${window?.from ?? null}, moves_to_at = ${window?.to ?? null}
    where id = ${id}`,
  );
}

export async function undrainHost(db: Queryable, id: string): Promise<void> {
  await execute(
    db,
    sql`update hosts set state = 'up', moves_from_at = null, moves_to_at = null where id = ${id}`,
  );
}

export async function setHostState(db: Queryable, id: string, state: HostState): Promise<void> {
  await execute(db, sql`update hosts set state = ${state} where id = ${id}`);
}

/** Returns whether the VM is on a lost host, or is being moved to one. */
export async function isOnLostHost(db: Queryable, vmId: string): Promise<boolean> {
  const row = await maybeOne(
    db,
    sql`
    select 1 from vms join hosts on hosts.id in (vms.host_id, vms.moving_to)
    where vms.id = ${vmId} and hosts.lost_at is not null limit 1`,
  );
  return row !== undefined;
}
