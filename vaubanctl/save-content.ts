import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { Failure } from './failure.ts';

/** Writes a download to standard output, or to a file that appears only when the download is complete. */
export async function saveContent(content: AsyncIterable<Buffer>, path: string | undefined): Promise<void> {
  if (path === undefined) return pipeline(content, process.stdout, { end: false });
  const unfinished = `${path}.unfinished`;
  try {
    await pipeline(content, createWriteStream(unfinished));
    await rename(unfinished, path);
  } catch (error) {
    await rm(unfinished, { force: true });
    if (error instanceof Failure) throw error;
    throw new Failure([`cannot write ${path}: ${(error as Error).message}`], 1);
  }
}
