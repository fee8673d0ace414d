import { join, one, type Queryable, raw, sql } from '../database.ts';
import { READINGS } from './metrics.ts';

const readings = READINGS.map((name) => raw(name));

/** VMs with samples in the hour from `chunk` that have no row of minutes for it yet. */
export async function vmsWithoutMinutes(db: Queryable, chunk: Date): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from vms where deleted_at is null
      and exists (select 1 from metric_samples where vm_id = vms.id and at >= ${chunk} and at < ${chunk}::timestamptz + interval '1 hour')
      and not exists (select 1 from metric_rollups where vm_id = vms.id and step_seconds = 60 and chunk_start = ${chunk})`);
  return rows.map((row) => row.id);
}

/** Averages an hour of samples to one row of 60 one-minute values a series; a minute without samples is null. */
export async function rollUpMinutes(db: Queryable, vmIds: string[], chunk: Date): Promise<void> {
  await db.query(sql`
    with averages as (
      select vm_id, floor(extract(epoch from at - ${chunk}::timestamptz) / 60)::int as minute,
        ${join(readings.map((name) => sql`avg(${name})::real as ${name}`))}
      from metric_samples
      where vm_id = any(${vmIds}::text[]) and at >= ${chunk} and at < ${chunk}::timestamptz + interval '1 hour'
      group by 1, 2
    )
    insert into metric_rollups (vm_id, step_seconds, chunk_start, points)
    select vm_id, 60, ${chunk}, ${join(
      readings.map((name) => sql`array_agg(${name} order by minute)`),
      ' || ',
    )}
    from (select distinct vm_id from averages) as vm cross join generate_series(0, 59) as minute
      left join averages using (vm_id, minute)
    group by vm_id
    on conflict do nothing`);
}

/** VMs with minutes in the day from `chunk` that have no row of five-minute averages for it yet. */
export async function vmsWithoutFiveMinutes(db: Queryable, chunk: Date): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from vms where deleted_at is null
      and exists (select 1 from metric_rollups where vm_id = vms.id and step_seconds = 60
        and chunk_start >= ${chunk} and chunk_start < ${chunk}::timestamptz + interval '1 day')
      and not exists (select 1 from metric_rollups where vm_id = vms.id and step_seconds = 300 and chunk_start = ${chunk})`);
  return rows.map((row) => row.id);
}

/** Averages a day of minutes to one row of 288 five-minute values a series; five empty minutes are null. */
export async function rollUpFiveMinutes(db: Queryable, vmIds: string[], chunk: Date): Promise<void> {
  await db.query(sql`
    with minutes as (
      select vm_id, (place - 1) / 60 as series, value,
        (extract(epoch from chunk_start - ${chunk}::timestamptz) / 60)::int + (place - 1) % 60 as minute
      from metric_rollups, unnest(points) with ordinality as point (value, place)
      where vm_id = any(${vmIds}::text[]) and step_seconds = 60
        and chunk_start >= ${chunk} and chunk_start < ${chunk}::timestamptz + interval '1 day'
    ), averages as (
      select vm_id, series, minute / 5 as slot, avg(value)::real as value from minutes group by 1, 2, 3
    )
    insert into metric_rollups (vm_id, step_seconds, chunk_start, points)
    select vm_id, 300, ${chunk}, array_agg(value order by series, slot)
    from (select distinct vm_id from averages) as vm
      cross join generate_series(0, ${READINGS.length - 1}::int) as series cross join generate_series(0, 287) as slot
      left join averages using (vm_id, series, slot)
    group by vm_id
    on conflict do nothing`);
}

/** Deletes up to `limit` samples from before `before`; how many there were. */
export async function deleteSamples(db: Queryable, before: Date, limit: number): Promise<number> {
  const { n } = await one<{ n: number }>(
    db,
    sql`
    with deleted as (
      delete from metric_samples where ctid = any(array(
        select ctid from metric_samples where at < ${before} order by at limit ${limit}))
      returning 1
    )
    select count(*)::int as n from deleted`,
  );
  return n;
}

/** Deletes up to `limit` roll-ups whose chunks begin before `before`; how many there were. */
export async function deleteRollUps(
  db: Queryable,
  stepSeconds: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { n } = await one<{ n: number }>(
    db,
    sql`
    with deleted as (
      delete from metric_rollups where ctid = any(array(
        select ctid from metric_rollups where step_seconds = ${stepSeconds} and chunk_start < ${before}
        order by chunk_start limit ${limit}))
      returning 1
    )
    select count(*)::int as n from deleted`,
  );
  return n;
}

/** Forgets the counters of VMs that were deleted while their guests were being read. */
export async function deleteStrayCounters(db: Queryable): Promise<void> {
  await db.query(sql`
    delete from vm_counters using vms where vms.id = vm_counters.vm_id and vms.deleted_at is not null`);
}
