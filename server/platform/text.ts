/** What the database refuses in a text: NUL, and half of a surrogate pair, which UTF-8 cannot spell. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}
