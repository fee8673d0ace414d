const UPPER_HALF = Array.from({ length: 128 }, (_, index) => 128 + index);
const BYTES = new Map(
  UPPER_HALF.map((byte) => [new TextDecoder('windows-1252').decode(Uint8Array.of(byte)), byte]),
);
const UNKNOWN = '?'.charCodeAt(0);

/** Encodes text as Windows-1252, a one-byte encoding; a character that it does not have becomes a question mark. */
export function windows1252(text: string): Buffer {
  return Buffer.from(
    Array.from(text, (character) => {
      const code = character.codePointAt(0)!;
      return code < 128 ? code : (BYTES.get(character) ?? UNKNOWN);
    }),
  );
}
