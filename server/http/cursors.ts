import { createHash } from 'node:crypto';
import { ApiError } from '../platform/errors.ts';
import type { Result } from './operation.ts';

/** Bytes that tie a cursor to its list: enough that no cursor fits another list by accident. */
const TIE_BYTES = 9;
/** An id, or the place of an entry in a journal. */
const ID = /^([a-z]+_[0-9a-z]{26}|[1-9]\d{0,17})$/;

/**
 * A cursor names the last item of a page, and the list that it is of: elsewhere, or cut, it is refused. It is no
 * secret; the query itself keeps accounts apart.
 */
export function sealCursor(list: string, id: string): string {
  const tie = createHash('sha256').update(`${list}\n${id}`).digest().subarray(0, TIE_BYTES);
  return Buffer.concat([tie, Buffer.from(id)]).toString('base64url');
}

/** The id in a cursor that {@link sealCursor} has made for this list, or `invalid_cursor`. */
export function openCursor(list: string, cursor: string): string {
  const id = Buffer.from(cursor, 'base64url').subarray(TIE_BYTES).toString('latin1');
  if (ID.test(id) && sealCursor(list, id) === cursor) return id;
  throw new ApiError('invalid_cursor', 'The cursor is not one that this list returned.');
}

/** Puts the id in the place of the cursor in a query that has one. */
export function openQuery(list: string, query: Record<string, unknown>): void {
  if (typeof query.cursor === 'string') query.cursor = openCursor(list, query.cursor);
}

/** The reply of a list, with its cursor sealed. */
export function sealReply<R extends Pick<Result, 'pagination'>>(list: string, reply: R): R {
  const { pagination } = reply;
  if (!pagination?.next_cursor) return reply;
  return {
    ...reply,
    pagination: { ...pagination, next_cursor: sealCursor(list, pagination.next_cursor) },
  };
}
