/** Characters that the database refuses in a text: NUL, and unpaired surrogates, which UTF-8 cannot encode. */
const UNSTORABLE = /\0|\p{Surrogate}/u;

export function isStorable(text: string): boolean {
  return !UNSTORABLE.test(text);
}

/** Replaces characters that the database refuses, for example in texts from a peer. */
export function storable(text: string): string {
  return text.replaceAll('\0', '\ufffd').toWellFormed();
}
