import { execute, type Queryable, sql } from '../../database.ts';

/** Traffic of a VM on one UTC day. */
export interface BandwidthDay {
  /** "2026-01-31" */
  date: string;
  in_bytes: bigint;
  out_bytes: bigint;
}

export interface Traffic {
  vm_id: string;
  date: string;
  in_bytes: number;
  out_bytes: number;
}

/** Adds traffic to VMs' days and meters; each VM may occur in `traffic` only once. */
export async function addTraffic(db: Queryable, traffic: Traffic[]): Promise<void> {
  await execute(
    db,
    sql`
    with fresh as (
      select * from json_to_recordset(${JSON.stringify(traffic)}::text::json)
        as fresh (vm_id text, date date, in_bytes bigint, out_bytes bigint) order by vm_id
    ), metered as (
      insert into traffic_meters (vm_id, out_bytes) select vm_id, out_bytes from fresh
      on conflict (vm_id) do update set out_bytes = traffic_meters.out_bytes + excluded.out_bytes
    )
    insert into bandwidth_days (vm_id, day, in_bytes, out_bytes)
    select vm_id, date, in_bytes, out_bytes from fresh
    on conflict (vm_id, day) do update set in_bytes = bandwidth_days.in_bytes + excluded.in_bytes,
      out_bytes = bandwidth_days.out_bytes + excluded.out_bytes`,
  );
}

/** Returns the days in [from, to) on which the VM was metered, oldest first. */
export function readBandwidth(db: Queryable, vmId: string, from: Date, to: Date): Promise<BandwidthDay[]> {
  return db.query<BandwidthDay>(sql`
    select to_char(day, 'YYYY-MM-DD') as date, in_bytes, out_bytes from bandwidth_days
    where vm_id = ${vmId} and day >= ${isoDate(from)}::text::date and day < ${isoDate(to)}::text::date order by day`);
}

/** Returns the UTC day of an instant, as "2026-01-31". */
export function isoDate(at: Date): string {
  return at.toISOString().slice(0, 10);
}
