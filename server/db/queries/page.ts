import { type Sql, sql } from '../database.ts';

/** A page of a list, newest first. Ids sort by age, so the position is the last id of the page before. */
export interface Page {
  limit: number;
  afterId: string | null;
}

/** Behind every id: ids are compared byte by byte, and this is the last character that there is. */
const BEHIND_ALL = '\u{10ffff}';

/**
 * The tail of a list query: position, order, and one row more than asked, to see whether there is a next page. The first
 * page has the same text as the others.
 */
export function pageOf(id: Sql, page: Page): Sql {
  return sql`and ${id} < ${page.afterId ?? BEHIND_ALL} order by ${id} desc limit ${page.limit + 1}`;
}
