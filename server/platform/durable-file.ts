import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

// What must still be there, and whole, after the power has failed at any moment.

/**
 * Makes `path` hold `content`: written aside, put on the disk and moved into place, so that a reader sees all of it or what
 * was there before. Writers of one path at the same time need an `aside` each, in the same file system.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  mode: number,
  aside = `${path}.new`,
): Promise<void> {
  try {
    // Made anew: whatever lies there, such as a link, is not written to.
    await rm(aside, { force: true, recursive: true });
    const file = await open(aside, 'wx', mode);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(aside, path);
  } catch (error) {
    // What is left of it would take the little room there is.
    await rm(aside, { force: true });
    throw error;
  }
  await syncPath(dirname(path));
}

/** Puts a file, or the names in a directory, on the disk: without the second a file that was moved may be lost with its new name. */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
