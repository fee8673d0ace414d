/** A key of 256 bits as base64 or hexadecimal; undefined where the text is not one. */
function key256(text: string): Buffer | undefined {
  if (/^[0-9a-f]{64}$/i.test(text)) return Buffer.from(text, 'hex');
  return /^[A-Za-z0-9+/_-]{43}=?$/.test(text) ? Buffer.from(text, 'base64') : undefined;
}

/** Keys of 256 bits, separated by commas; undefined unless all of them are well-formed. */
export function parseKeys256(text: string): [Buffer, ...Buffer[]] | undefined {
  const keys = text.split(',').map((part) => key256(part.trim()));
  return keys.every((key) => key !== undefined) ? (keys as [Buffer, ...Buffer[]]) : undefined;
}
