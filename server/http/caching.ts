/** `cache-control` of what has a hash of its content in its address. */
export const FOR_GOOD = 'public, max-age=31536000, immutable';

/** Whether a client that sends these headers has what has this `etag` already, so that 304 is the answer. */
export function isCurrent(headers: { 'if-none-match'?: string }, etag: string): boolean {
  return headers['if-none-match']?.split(/\s*,\s*/).includes(etag) ?? false;
}
