import { createReadStream } from 'node:fs';
import { createGunzip } from 'node:zlib';

/** The unit of a tar file. */
const BLOCK = 512;

/** Returns the lines of MISSING.txt in an archive of documents, which names those that could not be created; none without one. */
export async function missingDocuments(path: string): Promise<string[]> {
  let rest = Buffer.alloc(0);
  /** Blocks of a file's content that are still to come. */
  let skipped = 0;
  const lines: Buffer[] = [];
  let size = 0;
  for await (const piece of createReadStream(path).pipe(createGunzip())) {
    rest = Buffer.concat([rest, piece]);
    let at = 0;
    for (; at + BLOCK <= rest.length; at += BLOCK) {
      const block = rest.subarray(at, at + BLOCK);
      if (skipped > 0) {
        skipped--;
        if (size > 0) lines.push(block);
        continue;
      }
      const name = block.toString('latin1', 0, 100).split('\0', 1)[0]!;
      const bytes = Number.parseInt(block.toString('latin1', 124, 136), 8) || 0;
      skipped = Math.ceil(bytes / BLOCK);
      if (name.endsWith('/MISSING.txt')) size = bytes;
    }
    rest = rest.subarray(at);
  }
  return Buffer.concat(lines).toString('utf8', 0, size).split('\n').filter(Boolean);
}
