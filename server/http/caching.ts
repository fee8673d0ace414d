/** `cache-control` for addresses that contain a hash of their content. */
export const FOR_GOOD = 'public, max-age=31536000, immutable';

/**
 * Returns true if the caller already has the content with this `etag`, so that the answer is 304. Ignores the `W/` of
 * entity tags, which compressing proxies add (RFC 9110, 13.1.2).
 */
export function isCurrent({ 'if-none-match': known }: { 'if-none-match'?: string }, etag: string): boolean {
  if (known === undefined) return false;
  const wanted = strong(etag);
  // Plain text operations: a header of blanks must cost no more than any other of its length.
  return known.split(',').some((tag) => tag.trim() === '*' || strong(tag.trim()) === wanted);
}

const strong = (etag: string) => (etag.startsWith('W/') ? etag.slice(2) : etag);
