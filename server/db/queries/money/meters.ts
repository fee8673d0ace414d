import { execute, one, type Queryable, sql } from '../../database.ts';
import { isoDate } from '../vms/bandwidth.ts';
import type { VmRow } from '../vms/vms.ts';

/** Usage terms of a VM that apply from `from_at` on, with its traffic counter at that time. */
export interface UsageReading {
  from_at: Date;
  /** Bytes sent in the VM's whole life. */
  out_bytes: bigint;
  /** Included traffic per month; null means unmetered. */
  included_gb: number | null;
  /** Prices per GB of traffic beyond that, and per GB-month of snapshots: decimals in major units; null means free. */
  traffic_price: string | null;
  snapshot_price: string | null;
}

export interface StoredSnapshot {
  size_bytes: bigint;
  from_at: Date;
  until_at: Date | null;
}

/** A VM's usage since it was last charged for. */
export interface Meter {
  /** The terms, oldest first; empty if nothing has ever had a price. */
  readings: UsageReading[];
  /** Bytes sent since the VM was created. */
  out_bytes: bigint;
  /** Bytes sent by UTC day ("2026-01-31"), from the day of the first reading. */
  days: { date: string; out_bytes: bigint }[];
  snapshots: StoredSnapshot[];
}

/** A VM with its meter, which is set if the VM's usage has a price. */
export interface MeteredVm extends VmRow {
  meter?: Meter;
}

/** The VMs with their meters, as far as their usage has a price. */
export async function withMeters<V extends VmRow>(
  db: Queryable,
  vms: V[],
): Promise<(V & { meter?: Meter })[]> {
  const priced = vms.filter((vm) => vm.usage_priced);
  if (priced.length === 0) return vms;
  const meters = await readMeters(
    db,
    priced.map(({ id }) => id),
  );
  return vms.map((vm) => (vm.usage_priced ? { ...vm, meter: meters.get(vm.id)! } : vm));
}

/** The same for one VM. */
export async function withMeter<V extends VmRow>(db: Queryable, vm: V): Promise<V & { meter?: Meter }> {
  return (await withMeters(db, [vm]))[0]!;
}

/** Returns the meter of a VM, even if its usage has no price yet. */
export async function readMeter(db: Queryable, vmId: string): Promise<Meter> {
  return (await readMeters(db, [vmId])).get(vmId)!;
}

async function readMeters(db: Queryable, vmIds: string[]): Promise<Map<string, Meter>> {
  const readings = await db.query<UsageReading & { vm_id: string }>(sql`
    select vm_id, from_at, out_bytes, included_gb, trim_scale(traffic_price)::text as traffic_price,
      trim_scale(snapshot_price)::text as snapshot_price
    from usage_readings reading where vm_id = any(${vmIds}::text[]) and position >= coalesce((
      select max(position) from usage_readings settled where settled.vm_id = reading.vm_id and order_id is not null), 1)
    order by vm_id, position`);
  const byVm = Map.groupBy(readings, ({ vm_id }) => vm_id);
  const vms = await db.query<{ id: string; out_bytes: bigint; from_at: Date }>(sql`
    select id, coalesce(out_bytes, 0)::bigint as out_bytes, billing_period_start_at as from_at
    from vms left join traffic_meters on vm_id = id where id = any(${vmIds}::text[])`);
  const since = vms.map(({ id, from_at }) => ({ id, from_at: byVm.get(id)?.[0]?.from_at ?? from_at }));
  const from = JSON.stringify(since.map(({ id, from_at }) => ({ id, from_at, day: isoDate(from_at) })));
  const periods = sql`json_to_recordset(${from}::text::json) as since (id text, from_at timestamptz, day date)`;
  const days = await db.query<{ vm_id: string; date: string; out_bytes: bigint }>(sql`
    select vm_id, to_char(bandwidth_days.day, 'YYYY-MM-DD') as date, out_bytes
    from ${periods} join bandwidth_days on vm_id = id and bandwidth_days.day >= since.day order by vm_id, 2`);
  const snapshots = await db.query<StoredSnapshot & { vm_id: string }>(sql`
    select vm_id, size_bytes, snapshot_usage.from_at, until_at
    from ${periods} join snapshot_usage on vm_id = id and (until_at is null or until_at > since.from_at)`);
  const daysOf = Map.groupBy(days, ({ vm_id }) => vm_id);
  const snapshotsOf = Map.groupBy(snapshots, ({ vm_id }) => vm_id);
  const meterOf = ({ id, out_bytes }: (typeof vms)[number]): Meter => ({
    readings: byVm.get(id) ?? [],
    out_bytes,
    days: daysOf.get(id) ?? [],
    snapshots: snapshotsOf.get(id) ?? [],
  });
  return new Map(vms.map((vm) => [vm.id, meterOf(vm)]));
}

/**
 * Adds a usage reading to a VM, whose row the caller has locked. `orderId` is the order that charged the usage before
 * it.
 */
export async function insertReading(
  db: Queryable,
  vm: Pick<VmRow, 'id' | 'account_id'>,
  reading: UsageReading,
  orderId: string | null,
): Promise<void> {
  await one(
    db,
    sql`
    insert into usage_readings (vm_id, position, account_id, from_at, out_bytes, included_gb, traffic_price,
      snapshot_price, order_id)
    values (${vm.id}, 1 + coalesce((select max(position) from usage_readings where vm_id = ${vm.id}), 0), ${vm.account_id},
      ${reading.from_at}, ${reading.out_bytes}::bigint, ${reading.included_gb}, ${reading.traffic_price}::text::numeric,
      ${reading.snapshot_price}::text::numeric, ${orderId})
    returning position`,
  );
}

/** Starts metering a snapshot from its creation. A snapshot of unknown size is not metered. */
export async function beginSnapshotUsage(db: Queryable, snapshotId: string): Promise<void> {
  await execute(
    db,
    sql`
    insert into snapshot_usage (snapshot_id, account_id, vm_id, size_bytes, from_at)
    select id, account_id, vm_id, size_bytes, created_at from snapshots
    where id = ${snapshotId} and size_bytes is not null on conflict do nothing`,
  );
}

/** Stops metering one snapshot, or all of a VM's. */
export async function endSnapshotUsage(
  db: Queryable,
  of: { snapshotId: string } | { vmId: string },
  at: Date,
): Promise<void> {
  const which = 'vmId' in of ? sql`vm_id = ${of.vmId}` : sql`snapshot_id = ${of.snapshotId}`;
  await execute(
    db,
    sql`update snapshot_usage set until_at = greatest(from_at, ${at}) where ${which} and until_at is null`,
  );
}
