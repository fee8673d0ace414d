const CHUNK = 65_536;
const LINE = 'debug: a step was taken, and nothing unusual was seen in it';
const BLOCK = Buffer.from(`${LINE.padEnd(63, '.')}\n`.repeat(CHUNK / 64));
const ZEROS = Buffer.alloc(CHUNK);

/** Yields content for a file of which only the size is stored: one line repeated, in chunks of up to 64 KiB. */
export function* generated(size: number, from = 0): Generator<Buffer> {
  for (let at = from; at < size; ) {
    const start = at % CHUNK;
    const piece = BLOCK.subarray(start, start + Math.min(CHUNK - start, size - at));
    yield piece;
    at += piece.length;
  }
}

/** Yields zeros without end. */
export function* zeros(): Generator<Buffer> {
  for (;;) yield ZEROS;
}
