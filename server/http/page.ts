import type { Page } from '../db/queries/page.ts';
import type { Result } from './operation.ts';

/** The page that a list request asks for; `cursor` is the id that the pipeline found in it. */
export function pageFrom(query: { limit?: number; cursor?: string }): Page {
  const limit = query.limit ?? 50;
  return { limit, afterId: query.cursor ?? null };
}

/**
 * A list reply. `rows` holds one more than the page where there is a next one; `next_cursor` is an id, of which the
 * pipeline makes a cursor.
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
