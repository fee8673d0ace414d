/** Size of a field's length prefix. */
const LENGTH_BYTES = 4;

/** Returns the field that starts at `at`: a length and that many bytes. Undefined if it is truncated. */
function fieldAt(blob: Buffer, at: number): Buffer | undefined {
  const start = at + LENGTH_BYTES;
  if (start > blob.length) return undefined;
  const end = start + blob.readUInt32BE(at);
  return end > blob.length ? undefined : blob.subarray(start, end);
}

/** Returns the key type at the beginning of a public key's binary form (RFC 4253, section 6.6). */
export function blobType(blob: Buffer): string | undefined {
  return fieldAt(blob, 0)?.toString('latin1');
}

/** Returns the fields of a blob that consists only of fields; undefined if the last one is truncated. */
export function blobFields(blob: Buffer): Buffer[] | undefined {
  const fields: Buffer[] = [];
  for (let at = 0; at < blob.length; ) {
    const field = fieldAt(blob, at);
    if (!field) return undefined;
    fields.push(field);
    at += LENGTH_BYTES + field.length;
  }
  return fields;
}

/** Returns whether a field is a positive integer in the canonical form of RFC 4251: no unnecessary leading zero. */
export function isCanonicalInteger(field: Buffer): boolean {
  const [first, second] = field;
  if (first === undefined || first >= 0x80) return false;
  return first > 0 || (second !== undefined && second >= 0x80);
}
