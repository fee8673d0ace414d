/** Reads `next` from the URL: the page to open afterwards. Only paths of this site are accepted, never another site. */
export function nextOf({ next }: Record<string, unknown>): { next?: string } {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}
