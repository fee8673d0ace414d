/** Where to go on afterwards, of an address's `next`: a path of ours, and never another site. */
export function nextOf({ next }: Record<string, unknown>): { next?: string } {
  return typeof next === 'string' && /^\/(?![/\\])/.test(next) ? { next } : {};
}
