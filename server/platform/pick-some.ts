import { randomInt } from 'node:crypto';

/** At most `count` of these, each as likely as the others; all of them, as they are, where there are no more. */
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
