/** The longest key name that the service accepts. */
const LONGEST = 64;

/** Returns the comment of a public key, such as "ada@laptop", as a suggested name. */
export function nameInKey(key: string): string {
  const [, , ...comment] = key.trim().split(/\s+/);
  return comment.join(' ').slice(0, LONGEST);
}
