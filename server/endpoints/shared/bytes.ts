import { invalidField } from '../../platform/errors.ts';

/** Refuses a text of more than `limit` bytes in UTF-8; a schema can only count characters. */
export function requireBytes(field: string, text: string | undefined, limit: number): void {
  if (text === undefined || Buffer.byteLength(text) <= limit) return;
  throw invalidField(field, 'too_long', `must have at most ${limit} bytes in UTF-8`);
}
