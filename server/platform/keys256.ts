/** Parses a 256-bit key in base64 or hexadecimal; undefined if it is not one. */
function key256(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Parses 256-bit keys separated by commas; undefined unless all of them are well-formed. */
export function parseKeys256(text: string): [Buffer, ...Buffer[]] | undefined {
  const keys = text.split(',').map((part) => key256(part.trim()));
  return keys.every((key) => key !== undefined) ? (keys as [Buffer, ...Buffer[]]) : undefined;
}
