import { execute, join, maybeOne, type Queryable, raw, type Sql, sql } from '../../database.ts';

/** The series kept for each VM, in the order in which a roll-up stores them. */
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

/**
 * The tables that keep the series of one kind of subject: samples, their averages as they age, and the latest counters,
 * from which rates are computed.
 */
export interface SeriesStore<R extends string = string> {
  /** In the order in which a roll-up stores them. */
  readings: readonly R[];
  samples: Sql;
  rollUps: Sql;
  counters: Sql;
  /** The column with the subject's id. */
  subject: Sql;
  /** Existing subjects, as a query of one column `id`. */
  present: Sql;
}

export const VM_SERIES: SeriesStore<Reading> = {
  readings: READINGS,
  samples: raw('metric_samples'),
  rollUps: raw('metric_rollups'),
  counters: raw('vm_counters'),
  subject: raw('vm_id'),
  present: sql`select id from vms where deleted_at is null`,
};

/** Returns the column names of a store's readings for use in a statement. */
export const columnsOf = ({ readings }: SeriesStore): Sql[] => readings.map((name) => raw(name));

/** The values of one interval, which starts at `at`. */
export type SampleRow<R extends string> = { subject: string; at: Date } & Record<R, number | null>;

/** Values that the engine counts for a guest since it was powered on. */
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

/** The latest counters of a subject; `at` is the engine's time. */
export interface CountersRow<C> {
  subject: string;
  at: Date;
  counters: C;
}

/** Advisory lock that serialises metering: two nodes at once would count the same traffic twice. */
const METERING_LOCK = 7226_0004;

/** Locks metering until the transaction ends, so that only one node turns counters into readings. */
export async function lockMetering(tx: Queryable): Promise<void> {
  await execute(tx, sql`select pg_advisory_xact_lock(${METERING_LOCK})`);
}

/** Returns VMs whose guests may be running, in order of id. */
export async function meteredVmIds(db: Queryable, afterId: string, limit: number): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from vms where deleted_at is null and status not in ('stopped', 'suspended') and id > ${afterId}
    order by id limit ${limit}`);
  return rows.map((row) => row.id);
}

export function readCounters<C = Counters>(
  db: Queryable,
  { counters, subject }: SeriesStore,
  ids: string[],
): Promise<CountersRow<C>[]> {
  return db.query<CountersRow<C>>(
    sql`select ${subject} as subject, at, counters from ${counters} where ${subject} = any(${ids}::text[])`,
  );
}

export async function saveCounters<C>(
  db: Queryable,
  { counters, subject }: SeriesStore,
  rows: CountersRow<C>[],
): Promise<void> {
  await execute(
    db,
    sql`
    insert into ${counters} (${subject}, at, counters)
    select subject, at, counters from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as fresh (subject text, at timestamptz, counters jsonb) order by subject
    on conflict (${subject}) do update set at = excluded.at, counters = excluded.counters`,
  );
}

export async function insertSamples<R extends string>(
  db: Queryable,
  store: SeriesStore<R>,
  rows: SampleRow<R>[],
): Promise<void> {
  const readings = columnsOf(store);
  await execute(
    db,
    sql`
    insert into ${store.samples} (${store.subject}, at, ${join(readings)})
    select subject, at, ${join(readings)} from json_to_recordset(${JSON.stringify(rows)}::text::json)
      as fresh (subject text, at timestamptz, ${join(readings.map((name) => sql`${name} real`))}) order by subject
    on conflict do nothing`,
  );
}

/** Samples as columns: the intervals' start times in epoch seconds, and the values of each reading. */
export type SampleColumns<R extends string> = { at: number[] } & Record<R, (number | null)[]>;

/**
 * Returns one subject's samples in [from, to), or undefined if there are none. Columns are read three times as fast as
 * rows.
 */
export function readSamples<R extends string>(
  db: Queryable,
  store: SeriesStore<R>,
  id: string,
  { from, to }: { from: Date; to: Date },
): Promise<SampleColumns<R> | undefined> {
  return maybeOne<SampleColumns<R>>(
    db,
    sql`
    select array_agg(extract(epoch from at)::float8) as at,
      ${join(columnsOf(store).map((name) => sql`array_agg(${name}) as ${name}`))}
    from ${store.samples} where ${store.subject} = ${id} and at >= ${from} and at < ${to} having count(*) > 0`,
  );
}

export interface RollUpRow {
  chunk_start: Date;
  /** The store's series one after the other, each with one value per step of the chunk. */
  points: (number | null)[];
}

/** Returns one subject's roll-ups whose chunks begin in [from, to). */
export function readRollUps(
  db: Queryable,
  { rollUps, subject }: SeriesStore,
  id: string,
  stepSeconds: number,
  { from, to }: { from: Date; to: Date },
): Promise<RollUpRow[]> {
  return db.query<RollUpRow>(sql`
    select chunk_start, points from ${rollUps}
    where ${subject} = ${id} and step_seconds = ${stepSeconds} and chunk_start >= ${from} and chunk_start < ${to}`);
}

/** Returns the time of the first sample at or after `from`, of any subject. */
export async function firstSampleSince(
  db: Queryable,
  { samples }: SeriesStore,
  from: Date,
): Promise<Date | undefined> {
  const row = await maybeOne<{ at: Date }>(
    db,
    sql`select at from ${samples} where at >= ${from} order by at limit 1`,
  );
  return row?.at;
}

/** Returns the start of the first one-hour chunk of minutes at or after `from`, of any subject. */
export async function firstMinutesSince(
  db: Queryable,
  { rollUps }: SeriesStore,
  from: Date,
): Promise<Date | undefined> {
  const row = await maybeOne<{ chunk_start: Date }>(
    db,
    sql`select chunk_start from ${rollUps} where step_seconds = 60 and chunk_start >= ${from}
      order by chunk_start limit 1`,
  );
  return row?.chunk_start;
}
