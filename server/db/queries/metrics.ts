import { join, maybeOne, type Queryable, raw, sql } from '../database.ts';

/** The series kept of each VM, in the order in which a roll-up stores them. */
export const READINGS = [
  'cpu_percent',
  'ram_used_bytes',
  'disk_read_bytes_per_second',
  'disk_write_bytes_per_second',
  'disk_read_iops',
  'disk_write_iops',
  'net_in_bps',
  'net_out_bps',
  'net_in_pps',
  'net_out_pps',
] as const;
export type Reading = (typeof READINGS)[number];

/** The values of one interval, which begins at `at`. */
export type SampleRow = { vm_id: string; at: Date } & Record<Reading, number | null>;

/** What the engine counts of a guest since it was powered on. */
export const COUNTERS = [
  'cpuSeconds',
  'diskReadBytes',
  'diskWriteBytes',
  'diskReadOps',
  'diskWriteOps',
  'netInBytes',
  'netOutBytes',
  'netInPackets',
  'netOutPackets',
] as const;
export type Counters = Record<(typeof COUNTERS)[number], number>;

/** A guest's latest reading; `at` is the engine's instant. */
export interface CountersRow {
  vm_id: string;
  at: Date;
  counters: Counters;
}

const readings = READINGS.map((name) => raw(name));

/** Serialises what meters guests: two nodes at once would count the same traffic twice. */
const METERING_LOCK = 7226_0004;

/** Held until the transaction ends by whoever turns counters into readings. */
export async function lockMetering(tx: Queryable): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(${METERING_LOCK})`);
}

/** VMs whose guests may be running, in order of their ids. */
export async function meteredVmIds(db: Queryable, afterId: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from vms where deleted_at is null and status in ('running', 'stopping', 'rebooting') and id > ${afterId}
    order by id limit ${limit}`);
  return rows.map((row) => row.id);
}

export function readCounters(db: Queryable, vmIds: string[]): Promise<CountersRow[]> {
  return db.query<CountersRow>(
    sql`select vm_id, at, counters from vm_counters where vm_id = any(${vmIds}::text[])`,
  );
}

export async function saveCounters(db: Queryable, rows: CountersRow[]): Promise<void> {
  await db.query(sql`
    insert into vm_counters (vm_id, at, counters)
    select vm_id, at, counters from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as fresh (vm_id text, at timestamptz, counters jsonb)
    on conflict (vm_id) do update set at = excluded.at, counters = excluded.counters`);
}

export async function insertSamples(db: Queryable, rows: SampleRow[]): Promise<void> {
  await db.query(sql`
    insert into metric_samples (vm_id, at, ${join(readings)})
    select vm_id, at, ${join(readings)} from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as fresh (vm_id text, at timestamptz, ${join(readings.map((name) => sql`${name} real`))})
    on conflict do nothing`);
}

/** Samples as columns: the intervals' starts in epoch seconds, and the values of each reading. */
export type SampleColumns = { at: number[] } & Record<Reading, (number | null)[]>;

/** Samples of one VM in [from, to), or undefined when there is none. Columns are read three times as fast as rows. */
export function readSamples(
  db: Queryable,
  vmId: string,
  from: Date,
  to: Date,
): Promise<SampleColumns | undefined> {
  return maybeOne<SampleColumns>(
    db,
    sql`
    select array_agg(extract(epoch from at)::float8) as at,
      ${join(readings.map((name) => sql`array_agg(${name}) as ${name}`))}
    from metric_samples where vm_id = ${vmId} and at >= ${from} and at < ${to} having count(*) > 0`,
  );
}

export interface RollUpRow {
  chunk_start: Date;
  /** The series of {@link READINGS} one after the other, each with one value a step of the chunk. */
  points: (number | null)[];
}

/** Roll-ups of one VM whose chunks begin in [from, to). */
export function readRollUps(
  db: Queryable,
  vmId: string,
  stepSeconds: number,
  from: Date,
  to: Date,
): Promise<RollUpRow[]> {
  return db.query<RollUpRow>(sql`
    select chunk_start, points from metric_rollups
    where vm_id = ${vmId} and step_seconds = ${stepSeconds} and chunk_start >= ${from} and chunk_start < ${to}`);
}

/** Instant of the first sample at or after `from`, of any VM. */
export async function firstSampleSince(db: Queryable, from: Date): Promise<Date | undefined> {
  const row = await maybeOne<{ at: Date }>(
    db,
    sql`select at from metric_samples where at >= ${from} order by at limit 1`,
  );
  return row?.at;
}

/** Start of the first one-hour chunk of minutes at or after `from`, of any VM. */
export async function firstMinutesSince(db: Queryable, from: Date): Promise<Date | undefined> {
  const row = await maybeOne<{ chunk_start: Date }>(
    db,
    sql`select chunk_start from metric_rollups where step_seconds = 60 and chunk_start >= ${from}
      order by chunk_start limit 1`,
  );
  return row?.chunk_start;
}
