/** Longest name of a key that the service takes. */
const LONGEST = 64;

/** What a public key calls itself: the comment behind it, such as "ada@laptop". */
export function nameInKey(key: string): string {
  const [, , ...comment] = key.trim().split(/\s+/);
  return comment.join(' ').slice(0, LONGEST);
}
