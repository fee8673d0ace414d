const REFERENCE = '/docs/reference';
/** Anchors of the time when all of the reference was one page, and where what they named is now. */
const MOVED: [RegExp, (name: string) => string][] = [
  [/^#operation-(\w+)$/, (id) => `${REFERENCE}/${id}`],
  [/^#object-(\w+)$/, (name) => `${REFERENCE}/objects#${name}`],
  [/^#error-(\w+)$/, (code) => `${REFERENCE}/errors#${code}`],
  [/^#(all-errors)$/, () => `${REFERENCE}/errors`],
  [/^#(objects)$/, () => `${REFERENCE}/objects`],
  [
    /^#(keys|scopes|requests-and-replies|errors|lists|jobs|idempotency|rate-limits|units-and-time|money)$/,
    (slug) => `${REFERENCE}/basics#${slug}`,
  ],
];

/** Where an old link to an anchor of /docs leads now; undefined where it is none. */
export function movedTo(path: string, hash: string): string | undefined {
  if (!/^\/docs\/?$/.test(path)) return undefined;
  for (const [pattern, target] of MOVED) {
    const [, name] = pattern.exec(hash) ?? [];
    if (name) return target(name);
  }
  return undefined;
}
