import { empty, type Sql, sql } from '../database.ts';

/** A page of a list, newest first. Ids sort by age, so the position is the last id of the page before. */
export interface Page {
  limit: number;
  afterId: string | null;
}

/** The tail of a list query: position, order, and one row more than asked, to see whether there is a next page. */
export function pageOf(id: Sql, page: Page): Sql {
  return sql`${page.afterId === null ? empty : sql`and ${id} < ${page.afterId}`} order by ${id} desc limit ${page.limit + 1}`;
}
