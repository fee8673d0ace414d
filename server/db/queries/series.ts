import { execute, one, type Queryable, sql } from '../database.ts';
import type { InvoiceType } from './invoices.ts';
import { readSetting, writeSetting } from './settings.ts';

/** Why an operator is asked: the books say so themselves, a node knows higher numbers, or a payment is missing. */
export const SERIES_QUESTIONS = ['moved_database', 'lost_numbers', 'lost_payment'] as const;
export type SeriesQuestion = (typeof SERIES_QUESTIONS)[number];

/** The running numbers of one type of document, for the whole installation. */
export interface SeriesRow {
  type: InvoiceType;
  /** The last number that was given. */
  last: bigint;
  /** Since when an operator is asked which number was the last; nothing is issued until then. Null where nobody is. */
  asked_at: Date | null;
  asked_because: SeriesQuestion | null;
  /** The least answer: a document with this number is known to have been issued. */
  at_least: bigint;
}

const columns = sql`type, last, asked_at, asked_because, at_least`;

export function listSeries(db: Queryable): Promise<SeriesRow[]> {
  return db.query<SeriesRow>(sql`select ${columns} from number_series order by type desc`);
}

/** All series, locked until the transaction ends, in the order in which documents are issued. */
export async function lockSeries(db: Queryable): Promise<SeriesRow[]> {
  return db.query<SeriesRow>(sql`select ${columns} from number_series order by type desc for no key update`);
}

/** Stops documents from being issued until an operator has answered; what was asked before stays asked. Whether it was not. */
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

/** Numbers that stay without a document in these books. */
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

/** Goes on after `last`, which nobody is asked about any more. The caller holds the series, and `last` is not below it. */
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

/** Which books these are, wherever they are restored to: the id of their first account. Undefined before that. */
export async function nameOfBooks(db: Queryable): Promise<string | undefined> {
  const { id } = await one<{ id: string | null }>(db, sql`select min(id) as id from accounts`);
  return id ?? undefined;
}

const PLACE = 'place_of_books';

/** The database that the books are in, and the one that they say they are in; undefined where they say none yet. */
export async function placesOfBooks(db: Queryable): Promise<{ here: string; noted: string | undefined }> {
  // A dump that is restored makes a new database; a copy of its files, or a standby that takes over, is the same one.
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
