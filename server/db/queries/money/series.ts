import { execute, one, type Queryable, sql } from '../../database.ts';
import { readSetting, writeSetting } from '../service/settings.ts';
import type { InvoiceType } from './invoices.ts';

/**
 * Why the operator is asked: the books are not in the database that they name, a node knows higher numbers, or a
 * payment is missing.
 */
export const SERIES_QUESTIONS = ['moved_database', 'lost_numbers', 'lost_payment'] as const;
export type SeriesQuestion = (typeof SERIES_QUESTIONS)[number];

/** The consecutive numbers of one type of document, for the whole installation. */
export interface SeriesRow {
  type: InvoiceType;
  /** The last number used. */
  last: bigint;
  /**
   * Since when an operator has been asked for the last number; no document is issued until they answer. Null if no one
   * is being asked.
   */
  asked_at: Date | null;
  asked_because: SeriesQuestion | null;
  /** The smallest valid answer: a document with this number is known to have been issued. */
  at_least: bigint;
}

const columns = sql`type, last, asked_at, asked_because, at_least`;

export function listSeries(db: Queryable): Promise<SeriesRow[]> {
  return db.query<SeriesRow>(sql`select ${columns} from number_series order by type desc`);
}

/** Returns all series in the order in which documents are issued, and locks them until the transaction ends. */
export async function lockSeries(db: Queryable): Promise<SeriesRow[]> {
  return db.query<SeriesRow>(sql`select ${columns} from number_series order by type desc for no key update`);
}

/**
 * Stops issuing documents until an operator has answered. An earlier question stays in place. Returns whether any
 * series was not stopped before.
 */
export async function askSeries(
  db: Queryable,
  at: Date,
  because: SeriesQuestion,
  known: Partial<Record<InvoiceType, bigint>> = {},
): Promise<boolean> {
  const before = await lockSeries(db);
  await execute(
    db,
    sql`
    update number_series set asked_at = coalesce(asked_at, ${at}), asked_because = coalesce(asked_because, ${because}),
      at_least = greatest(at_least, case type when 'invoice' then ${known.invoice ?? 0n}::bigint
        else ${known.credit_note ?? 0n}::bigint end)`,
  );
  return before.some(({ asked_at }) => asked_at === null);
}

/** A range of numbers without a document in these books. */
export interface SeriesGap {
  type: InvoiceType;
  first: bigint;
  last: bigint;
  recorded_at: Date;
  recorded_by: string;
}

export function listSeriesGaps(db: Queryable): Promise<SeriesGap[]> {
  return db.query<SeriesGap>(
    sql`select type, first, last, recorded_at, recorded_by from series_gaps order by type desc, first`,
  );
}

/**
 * Continues the series after `last` and ends the question. The caller must hold the lock on the series, and `last` must
 * not be below its last number.
 */
export async function continueSeries(
  db: Queryable,
  { type, last: before }: SeriesRow,
  { last, at, by }: { last: bigint; at: Date; by: string },
): Promise<void> {
  if (last > before)
    await execute(
      db,
      sql`
      insert into series_gaps (type, first, last, recorded_at, recorded_by)
      values (${type}, ${before + 1n}::bigint, ${last}::bigint, ${at}, ${by})`,
    );
  await execute(
    db,
    sql`
    update number_series set last = ${last}::bigint, asked_at = null, asked_because = null, at_least = 0
    where type = ${type}`,
  );
}

/**
 * Returns an id for these books that stays the same wherever they are restored: that of their first account. Undefined
 * while there is none.
 */
export async function nameOfBooks(db: Queryable): Promise<string | undefined> {
  const { id } = await one<{ id: string | null }>(db, sql`select min(id) as id from accounts`);
  return id ?? undefined;
}

const PLACE = 'place_of_books';

/**
 * Returns the database that the books are in, and the one that they recorded; undefined if they have not recorded one
 * yet.
 */
export async function placesOfBooks(db: Queryable): Promise<{ here: string; noted: string | undefined }> {
  // Restoring a dump creates a new database; a copy of its files, or a standby that takes over, counts as the same one.
  const { here } = await one<{ here: string }>(
    db,
    sql`
    select system_identifier || ':' || (select oid from pg_database where datname = current_database()) as here
    from pg_control_system()`,
  );
  return { here, noted: (await readSetting<{ at: string }>(db, PLACE))?.at };
}

export function notePlaceOfBooks(db: Queryable, at: string): Promise<void> {
  return writeSetting(db, PLACE, { at });
}
