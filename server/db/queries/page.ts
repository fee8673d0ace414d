import { type Sql, sql } from '../database.ts';

/** A page of a list, newest first. Ids sort by age, so the position is the last id of the previous page. */
export interface Page {
  limit: number;
  afterId: string | null;
}

/** Sorts after every id: ids are compared byte by byte, and this is the last code point. */
const BEHIND_ALL = '\u{10ffff}';

/**
 * Returns the tail of a list query: position, order, and a limit of one row more than requested, to see whether there
 * is a next page. The first page uses the same statement text as the others.
 */
export function pageOf(id: Sql, page: Page): Sql {
  return sql`and ${id} < ${page.afterId ?? BEHIND_ALL} order by ${id} desc limit ${page.limit + 1}`;
}
