import type { Page } from '../db/queries/page.ts';
import { ApiError } from '../platform/errors.ts';
import type { Result } from './endpoint.ts';

const ID = /^[a-z]+_[0-9a-z]{26}$/;

/** The page that a list request asks for. A cursor that we did not make is `invalid_cursor`. */
export function pageFrom(query: { limit?: number; cursor?: string }): Page {
  const limit = query.limit ?? 50;
  if (query.cursor === undefined) return { limit, afterId: null };
  const id = Buffer.from(query.cursor, 'base64url').toString('utf8');
  if (!ID.test(id)) throw new ApiError('invalid_cursor', 'The cursor is not one that this API returned.');
  return { limit, afterId: id };
}

/** A list reply. `rows` holds one more than the page where there is a next one. */
export function paginated<Row extends { id: string }>(
  rows: Row[],
  page: Page,
  present: (row: Row) => unknown,
): Result {
  const has_more = rows.length > page.limit;
  const shown = has_more ? rows.slice(0, page.limit) : rows;
  const next_cursor = has_more ? Buffer.from(shown.at(-1)!.id).toString('base64url') : null;
  return { data: shown.map(present), pagination: { limit: page.limit, next_cursor, has_more } };
}
