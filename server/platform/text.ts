/** What the database refuses in a text: NUL, and half of a surrogate pair, which UTF-8 cannot spell. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** The same text with what the database refuses replaced, such as of what a peer said. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}
