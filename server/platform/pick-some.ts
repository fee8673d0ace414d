import { randomInt } from 'node:crypto';

/**
 * Returns up to `count` random items, each equally likely; if there are no more than that, all of them in their order.
 */
export function pickSome<T>(all: readonly T[], count: number): T[] {
  const rest = [...all];
  if (rest.length <= count) return rest;
  return Array.from({ length: count }, () => {
    const at = randomInt(rest.length);
    const picked = rest[at]!;
    rest[at] = rest.at(-1)!;
    rest.pop();
    return picked;
  });
}
