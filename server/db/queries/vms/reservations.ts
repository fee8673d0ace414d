import { execute, maybeOne, type Queryable, sql } from '../../database.ts';

/**
 * Capacity reserved for a VM, whether its guest is running or not. Its virtual CPUs count in `vcpu` if they share
 * cores, otherwise in `cores`.
 */
export interface Reservation {
  vcpu: number;
  cores: number;
  ram_mb: number;
  disk_gb: number;
}

/** The guests on a host that have the same amount of memory, with their total reservations. */
export interface ReservedGroup extends Reservation {
  host_id: string;
  /** Memory of each guest. */
  guest_ram_mb: number;
  guests: number;
}

/**
 * Returns the capacity taken on these hosts by VMs, their snapshots, and orphaned guests. A VM being moved counts on
 * both hosts; one being rebuilt or restored counts with its old disk too until that is over. Reservations are looked up
 * one by one, because for the VMs of a few hosts the planner would otherwise read all reservations.
 */
export function reservedGroups(db: Queryable, hostIds: readonly string[]): Promise<ReservedGroup[]> {
  return db.query<ReservedGroup>(sql`
    select host_id, ram_mb as guest_ram_mb, count(*)::int as guests, sum(vcpu)::float as vcpu, sum(cores)::float as cores,
      sum(ram_mb)::float as ram_mb, sum(disk_gb)::float as disk_gb
    from (
      select place.host_id, r.vcpu, r.cores, r.ram_mb, r.disk_gb + coalesce((
          select sum(reserved_gb) from snapshots where snapshots.vm_id = r.vm_id), 0) + coalesce((
          select r.disk_gb from jobs where jobs.id = place.active_job_id and jobs.kind in ('rebuild', 'snapshot_restore')), 0) as disk_gb
      from (
        select id, host_id, active_job_id from vms where host_id = any(${hostIds}::text[]) and deleted_at is null
        union all
        select id, moving_to, active_job_id from vms where moving_to = any(${hostIds}::text[])
      ) as place cross join lateral (select * from reservations where vm_id = place.id limit 1) as r
      union all
      select host_id, coalesce(vcpu, 0), 0, coalesce(ram_mb, 0), coalesce(disk_gb, 0)
      from orphan_guests where host_id = any(${hostIds}::text[])
    ) as taken group by host_id, ram_mb`);
}

export function findReservation(db: Queryable, vmId: string): Promise<Reservation | undefined> {
  return maybeOne<Reservation>(
    db,
    sql`select vcpu, cores, ram_mb, disk_gb from reservations where vm_id = ${vmId}`,
  );
}

/** Returns the reservation including the VM's snapshots: what the target host of a move needs. */
export function findFootprint(db: Queryable, vmId: string): Promise<Reservation | undefined> {
  return maybeOne<Reservation>(
    db,
    sql`
    select vcpu, cores, ram_mb, disk_gb + (
      select coalesce(sum(reserved_gb), 0)::int from snapshots where snapshots.vm_id = reservations.vm_id) as disk_gb
    from reservations where vm_id = ${vmId}`,
  );
}

/** Reserves capacity for a VM that is being bought. */
export async function insertReservation(db: Queryable, vmId: string, size: Reservation): Promise<void> {
  await execute(
    db,
    sql`
    insert into reservations (vm_id, vcpu, cores, ram_mb, disk_gb)
    values (${vmId}, ${size.vcpu}, ${size.cores}, ${size.ram_mb}, ${size.disk_gb})`,
  );
}

/** Reserves the larger of the current and the new size, until the outcome of a resize is known. */
export async function widenReservation(db: Queryable, vmId: string, size: Reservation): Promise<void> {
  await execute(
    db,
    sql`
    update reservations set vcpu = greatest(vcpu, ${size.vcpu}::int), cores = greatest(cores, ${size.cores}::int),
      ram_mb = greatest(ram_mb, ${size.ram_mb}::int), disk_gb = greatest(disk_gb, ${size.disk_gb}::int)
    where vm_id = ${vmId}`,
  );
}

/** Reserves exactly this size. A disk that was grown in the meantime cannot have shrunk again. */
export async function settleReservation(db: Queryable, vmId: string, size: Reservation): Promise<void> {
  await execute(
    db,
    sql`
    update reservations set vcpu = ${size.vcpu}, cores = ${size.cores}, ram_mb = ${size.ram_mb},
      disk_gb = greatest(disk_gb, ${size.disk_gb}::int)
    where vm_id = ${vmId}`,
  );
}

/** Frees the capacity of a VM of which nothing is left on the engine. */
export async function deleteReservation(db: Queryable, vmId: string): Promise<void> {
  await execute(db, sql`delete from reservations where vm_id = ${vmId}`);
}

/** Records how much disk space is reserved for a snapshot, in GB. */
export async function reserveSnapshot(db: Queryable, id: string, gb: number): Promise<void> {
  await execute(db, sql`update snapshots set reserved_gb = ${gb} where id = ${id}`);
}
