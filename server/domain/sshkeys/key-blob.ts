/** Bytes of a field's length. */
const LENGTH_BYTES = 4;

/** The field that starts at `at`: its length and then that many bytes. Undefined where it is cut off. */
function fieldAt(blob: Buffer, at: number): Buffer | undefined {
  const start = at + LENGTH_BYTES;
  if (start > blob.length) return undefined;
  const end = start + blob.readUInt32BE(at);
  return end > blob.length ? undefined : blob.subarray(start, end);
}

/** The key type that stands at the beginning of a public key's binary form (RFC 4253, section 6.6). */
export function blobType(blob: Buffer): string | undefined {
  return fieldAt(blob, 0)?.toString('latin1');
}

/** All fields of a blob that consists of nothing else; undefined where the last one is cut off. */
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

/** Whether a field is a positive integer in the one way that RFC 4251 writes it: no needless leading zero. */
export function isCanonicalInteger(field: Buffer): boolean {
  const [first, second] = field;
  if (first === undefined || first >= 0x80) return false;
  return first > 0 || (second !== undefined && second >= 0x80);
}
