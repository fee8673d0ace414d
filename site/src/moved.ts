const REFERENCE = '/docs/reference';
/** Old anchors, from when the whole reference was one page, and the addresses they lead to now. */
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

/** Returns the present address for an old link to an anchor of /docs; undefined for any other link. */
export function movedTo(path: string, hash: string): string | undefined {
  if (!/^\/docs\/?$/.test(path)) return undefined;
  for (const [pattern, target] of MOVED) {
    const [, name] = pattern.exec(hash) ?? [];
    if (name) return target(name);
  }
  return undefined;
}
