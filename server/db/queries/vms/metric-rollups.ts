import { execute, join, one, type Queryable, sql } from '../../database.ts';
import { columnsOf, type SeriesStore } from './metrics.ts';

/** Returns subjects with samples in the hour from `chunk` whose one-minute roll-up for it is missing. */
export async function withoutMinutes(
  db: Queryable,
  { samples, rollUps, subject, present }: SeriesStore,
  chunk: Date,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from (${present}) as present
    where exists (select 1 from ${samples} where ${subject} = present.id and at >= ${chunk} and at < ${chunk}::timestamptz + interval '1 hour')
      and not exists (select 1 from ${rollUps} where ${subject} = present.id and step_seconds = 60 and chunk_start = ${chunk})`);
  return rows.map((row) => row.id);
}

/** Averages an hour of samples to one row with 60 one-minute values per series; a minute without samples is null. */
export async function rollUpMinutes(
  db: Queryable,
  store: SeriesStore,
  ids: string[],
  chunk: Date,
): Promise<void> {
  const { samples, rollUps, subject } = store;
  const readings = columnsOf(store);
  await execute(
    db,
    sql`
    with averages as (
      select ${subject}, floor(extract(epoch from at - ${chunk}::timestamptz) / 60)::int as minute,
        ${join(readings.map((name) => sql`avg(${name})::real as ${name}`))}
      from ${samples}
      where ${subject} = any(${ids}::text[]) and at >= ${chunk} and at < ${chunk}::timestamptz + interval '1 hour'
      group by 1, 2
    )
    insert into ${rollUps} (${subject}, step_seconds, chunk_start, points)
    select ${subject}, 60, ${chunk}, ${join(
      readings.map((name) => sql`array_agg(${name} order by minute)`),
      ' || ',
    )}
    from (select distinct ${subject} from averages) as vm cross join generate_series(0, 59) as minute
      left join averages using (${subject}, minute)
    group by ${subject}
    on conflict do nothing`,
  );
}

/** Returns subjects with minutes in the day from `chunk` whose five-minute roll-up for it is missing. */
export async function withoutFiveMinutes(
  db: Queryable,
  { rollUps, subject, present }: SeriesStore,
  chunk: Date,
): Promise<string[]> {
  const rows = await db.query<{ id: string }>(sql`
    select id from (${present}) as present
    where exists (select 1 from ${rollUps} where ${subject} = present.id and step_seconds = 60
        and chunk_start >= ${chunk} and chunk_start < ${chunk}::timestamptz + interval '1 day')
      and not exists (select 1 from ${rollUps} where ${subject} = present.id and step_seconds = 300 and chunk_start = ${chunk})`);
  return rows.map((row) => row.id);
}

/** Averages a day of minutes to one row with 288 five-minute values per series; five empty minutes give null. */
export async function rollUpFiveMinutes(
  db: Queryable,
  { readings, rollUps, subject }: SeriesStore,
  ids: string[],
  chunk: Date,
): Promise<void> {
  await execute(
    db,
    sql`
    with minutes as (
      select ${subject}, (place - 1) / 60 as series, value,
        (extract(epoch from chunk_start - ${chunk}::timestamptz) / 60)::int + (place - 1) % 60 as minute
      from ${rollUps}, unnest(points) with ordinality as point (value, place)
      where ${subject} = any(${ids}::text[]) and step_seconds = 60
        and chunk_start >= ${chunk} and chunk_start < ${chunk}::timestamptz + interval '1 day'
    ), averages as (
      select ${subject}, series, slot, avg(value)::real as value
      from (
        select ${subject}, series, minute / 5 as slot, value from minutes
        -- Every slot there is, which a join would look up one by one: how many there are is not known to the planner.
        union all select ${subject}, series, slot, null
        from (select distinct ${subject} from minutes) as vm
          cross join generate_series(0, ${readings.length - 1}::int) as series cross join generate_series(0, 287) as slot
      ) as slots
      group by 1, 2, 3
    )
    insert into ${rollUps} (${subject}, step_seconds, chunk_start, points)
    select ${subject}, 300, ${chunk}, array_agg(value order by series, slot)
    from averages
    group by ${subject}
    on conflict do nothing`,
  );
}

/** Deletes up to `limit` samples older than `before`; returns how many. */
export async function deleteSamples(
  db: Queryable,
  { samples }: SeriesStore,
  before: Date,
  limit: number,
): Promise<number> {
  const { n } = await one<{ n: number }>(
    db,
    sql`
    with deleted as (
      delete from ${samples} where ctid = any(array(
        select ctid from ${samples} where at < ${before} order by at limit ${limit}))
      returning 1
    )
    select count(*)::int as n from deleted`,
  );
  return n;
}

/** Deletes up to `limit` roll-ups whose chunks begin before `before`; returns how many. */
export async function deleteRollUps(
  db: Queryable,
  { rollUps }: SeriesStore,
  stepSeconds: number,
  before: Date,
  limit: number,
): Promise<number> {
  const { n } = await one<{ n: number }>(
    db,
    sql`
    with deleted as (
      delete from ${rollUps} where ctid = any(array(
        select ctid from ${rollUps} where step_seconds = ${stepSeconds} and chunk_start < ${before}
        order by chunk_start limit ${limit}))
      returning 1
    )
    select count(*)::int as n from deleted`,
  );
  return n;
}

/** Deletes the counters of subjects that were removed while their counters were being read. */
export async function deleteStrayCounters(
  db: Queryable,
  { counters, subject, present }: SeriesStore,
): Promise<void> {
  await execute(db, sql`delete from ${counters} where ${subject} not in (${present})`);
}
