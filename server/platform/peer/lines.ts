import type { Readable } from 'node:stream';
import { readChunks } from './contained.ts';
import { PeerError } from './peer-error.ts';

export interface LineReader {
  /** The peer's name, for errors. */
  peer: string;
  /** Called for each line, without its line ending. The stream is destroyed if it throws. */
  onLine(line: Buffer): void;
  maxBytes: number;
  /** Skips lines that are too long instead of destroying the stream. */
  skipLong?: true;
}

const LINE_END = 10;
/** Number of separate pieces kept of a line: a peer that sends single bytes must not cost a buffer for each. */
const MAX_PARTS = 1_024;

/** Reads a peer's stream line by line, holding no more than one line of at most `maxBytes`. */
export function readLines(stream: Readable, { peer, onLine, maxBytes, skipLong }: LineReader): void {
  let parts: Buffer[] = [];
  let length = 0;
  let skipping = false;
  const tooLong = () => {
    if (!skipLong) throw new PeerError(peer, `sent a line of more than ${maxBytes} bytes`);
    skipping = true;
    parts = [];
    length = 0;
  };
  readChunks(stream, peer, (bytes: Buffer) => {
    let from = 0;
    for (let end = bytes.indexOf(LINE_END); end >= 0; end = bytes.indexOf(LINE_END, from)) {
      const rest = bytes.subarray(from, end);
      if (!skipping && length + rest.length > maxBytes) tooLong();
      from = end + 1;
      const line = skipping ? undefined : Buffer.concat([...parts, rest]);
      parts = [];
      length = 0;
      skipping = false;
      if (line) onLine(line);
      // The reader may have closed the connection.
      if (stream.destroyed) return;
    }
    if (skipping) return;
    parts.push(bytes.subarray(from));
    length += bytes.length - from;
    if (length > maxBytes) tooLong();
    else if (parts.length > MAX_PARTS) parts = [Buffer.concat(parts)];
  });
}
