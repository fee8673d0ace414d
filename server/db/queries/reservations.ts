import { execute, maybeOne, type Queryable, sql } from '../database.ts';

/** What is reserved for a VM, whether its guest runs or not. Its virtual CPUs either share cores, or have them. */
export interface Reservation {
  vcpu: number;
  cores: number;
  ram_mb: number;
  disk_gb: number;
}

/** Guests of a host with the same amount of memory, and what they have reserved together. */
export interface ReservedGroup extends Reservation {
  host_id: string;
  /** Of each. */
  guest_ram_mb: number;
  guests: number;
}

/**
 * What is taken of these hosts: by VMs, their snapshots, and guests that no VM has. A VM that is being moved counts on both
 * hosts; one that is being rebuilt, or restored, keeps the disk that it had until that is over. Reservations are looked up one
 * by one: for the VMs of a few hosts the planner would rather read those of all.
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

/** The same with what its snapshots have: what it needs where it is moved to. */
export function findFootprint(db: Queryable, vmId: string): Promise<Reservation | undefined> {
  return maybeOne<Reservation>(
    db,
    sql`
    select vcpu, cores, ram_mb, disk_gb + (
      select coalesce(sum(reserved_gb), 0)::int from snapshots where snapshots.vm_id = reservations.vm_id) as disk_gb
    from reservations where vm_id = ${vmId}`,
  );
}

/** Of a VM that is bought. */
export async function insertReservation(db: Queryable, vmId: string, size: Reservation): Promise<void> {
  await execute(
    db,
    sql`
    insert into reservations (vm_id, vcpu, cores, ram_mb, disk_gb)
    values (${vmId}, ${size.vcpu}, ${size.cores}, ${size.ram_mb}, ${size.disk_gb})`,
  );
}

/** Of a VM that is to become this size: until it is known how that ends it needs the larger of both. */
export async function widenReservation(db: Queryable, vmId: string, size: Reservation): Promise<void> {
  await execute(
    db,
    sql`
    update reservations set vcpu = greatest(vcpu, ${size.vcpu}::int), cores = greatest(cores, ${size.cores}::int),
      ram_mb = greatest(ram_mb, ${size.ram_mb}::int), disk_gb = greatest(disk_gb, ${size.disk_gb}::int)
    where vm_id = ${vmId}`,
  );
}

/** Of a VM that is of this size now. A disk that was grown meanwhile cannot have become smaller again. */
export async function settleReservation(db: Queryable, vmId: string, size: Reservation): Promise<void> {
  await execute(
    db,
    sql`
    update reservations set vcpu = ${size.vcpu}, cores = ${size.cores}, ram_mb = ${size.ram_mb},
      disk_gb = greatest(disk_gb, ${size.disk_gb}::int)
    where vm_id = ${vmId}`,
  );
}

/** Of a VM of which the engine has nothing any more. */
export async function deleteReservation(db: Queryable, vmId: string): Promise<void> {
  await execute(db, sql`delete from reservations where vm_id = ${vmId}`);
}

/** How much of the disk's room a snapshot is given. */
export async function reserveSnapshot(db: Queryable, id: string, gb: number): Promise<void> {
  await execute(db, sql`update snapshots set reserved_gb = ${gb} where id = ${id}`);
}
