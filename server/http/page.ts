import type { Page } from '../db/queries/page.ts';
import type { Result } from './operation.ts';

/** Returns the page that a list request asks for. The pipeline has already replaced `cursor` with its id. */
export function pageFrom(query: { limit?: number; cursor?: string }): Page {
  const limit = query.limit ?? 50;
  return { limit, afterId: query.cursor ?? null };
}

/**
 * Returns a list reply. `rows` has one row more than the page if there is a next page; `next_cursor` is an id, which
 * the pipeline turns into a cursor.
 */
export function paginated<Row extends { id: string }>(
  rows: Row[],
  page: Page,
  present: (row: Row) => unknown,
): Result {
  const has_more = rows.length > page.limit;
  const shown = has_more ? rows.slice(0, page.limit) : rows;
  const next_cursor = has_more ? shown.at(-1)!.id : null;
  return { data: shown.map(present), pagination: { limit: page.limit, next_cursor, has_more } };
}
