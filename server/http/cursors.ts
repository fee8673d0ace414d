import { createHash } from 'node:crypto';
import { ApiError } from '../platform/errors.ts';
import type { Result } from './operation.ts';

/** Bytes that tie a cursor to its list: enough that no cursor fits another list by accident. */
const TIE_BYTES = 9;
/** An id, or the position of an entry in a journal. */
const ID = /^([a-z]+_[0-9a-z]{26}|[1-9]\d{0,17})$/;

/**
 * Returns a cursor that names the last item of a page and its list. With another list, or truncated, it is refused.
 * It is not secret; the query itself separates accounts.
 */
export function sealCursor(list: string, id: string): string {
  const tie = createHash('sha256').update(`${list}\n${id}`).digest().subarray(0, TIE_BYTES);
  return Buffer.concat([tie, Buffer.from(id)]).toString('base64url');
}

/** Returns the id in a cursor that {@link sealCursor} made for this list. Throws `invalid_cursor` for any other. */
export function openCursor(list: string, cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').subarray(TIE_BYTES).toString('latin1');
  if (ID.test(id) && sealCursor(list, id) === cursor) return id;
  throw new ApiError('invalid_cursor', 'The cursor is not one that this list returned.');
}

/** Replaces the cursor in a query, if there is one, with its id. */
export function openQuery(list: string, query: Record<string, unknown>): void {
  if (typeof query.cursor === 'string') query.cursor = openCursor(list, query.cursor);
}

/** Returns the reply of a list with its cursor sealed. */
export function sealReply<R extends Pick<Result, 'pagination'>>(list: string, reply: R): R {
  const { pagination } = reply;
  if (!pagination?.next_cursor) return reply;
  return {
    ...reply,
    pagination: { ...pagination, next_cursor: sealCursor(list, pagination.next_cursor) },
  };
}
