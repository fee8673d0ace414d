import { pipeline, type Readable, Readable as Stream } from 'node:stream';
import { createGzip } from 'node:zlib';

export interface ArchivedFile {
  /** Path in the archive: ASCII, at most 100 characters. */
  name: string;
  content: Buffer;
  at: Date;
}

/** Block size of a tar file: a header takes one block, and contents are padded to whole blocks. */
const BLOCK = 512;
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  time: [136, 12],
} as const;
const CHECKSUM_AT = 148;
const TYPE_AT = 156;
const MAGIC_AT = 257;

/**
 * Returns files as a compressed tar stream (POSIX ustar, gzip), produced as it is read: only one file and a few blocks
 * are in memory. Compression runs in Node's thread pool. If reading a file fails, the stream fails too.
 */
export function tarGz(files: AsyncIterable<ArchivedFile>): Readable {
  const gzip = createGzip();
  // The reader receives a failure from the stream itself.
  pipeline(Stream.from(blocksOf(files), { objectMode: false }), gzip, () => {});
  return gzip;
}

async function* blocksOf(files: AsyncIterable<ArchivedFile>): AsyncGenerator<Buffer> {
  for await (const file of files) {
    yield headerOf(file);
    yield file.content;
    const over = file.content.length % BLOCK;
    if (over > 0) yield Buffer.alloc(BLOCK - over);
  }
  yield Buffer.alloc(2 * BLOCK);
}

function headerOf({ name, content, at }: ArchivedFile): Buffer {
  if (name.length > FIELDS.name[1] || /[^\x20-\x7e]/.test(name))
    throw new Error(`${name} is not a valid name in an archive`);
  const header = Buffer.alloc(BLOCK);
  const octal = ([from, length]: readonly [number, number], value: number) =>
    header.write(value.toString(8).padStart(length - 1, '0'), from, 'latin1');
  header.write(name, FIELDS.name[0], 'latin1');
  octal(FIELDS.mode, 0o644);
  octal(FIELDS.uid, 0);
  octal(FIELDS.gid, 0);
  octal(FIELDS.size, content.length);
  octal(FIELDS.time, Math.floor(at.getTime() / 1_000));
  header.write('0', TYPE_AT, 'latin1');
  header.write('ustar\x0000', MAGIC_AT, 'latin1');
  // The sum of all bytes, with the checksum field counted as spaces.
  header.fill(' ', CHECKSUM_AT, CHECKSUM_AT + 8);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, '0')}\0 `, CHECKSUM_AT, 'latin1');
  return header;
}
