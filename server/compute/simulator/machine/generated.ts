const LINE = 64;
const CHUNK = 65_536;

/** What a file reads as when only its size is kept: numbered lines. Pieces of 64 KiB, made as they are read. */
export function* generated(size: number, from = 0): Generator<Buffer> {
  for (let at = from; at < size; ) {
    const length = Math.min(CHUNK, size - at);
    const first = Math.floor(at / LINE);
    const skip = at - first * LINE;
    const lines = Math.ceil((skip + length) / LINE);
    let text = '';
    for (let line = first; line < first + lines; line++) {
      text += `${String(line).padStart(12, '0')} debug: nothing unusual was seen in this step`.padEnd(
        LINE - 1,
        '.',
      );
      text += '\n';
    }
    yield Buffer.from(text).subarray(skip, skip + length);
    at += length;
  }
}
