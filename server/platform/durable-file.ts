import { open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

// For files that must exist, complete, even if the power fails at any moment.

/**
 * Replaces the content of `path` atomically: writes a second file, syncs it to disk and renames it, so that a reader
 * sees either the new content or the old. Concurrent writers of one path each need their own `aside`, in the same file
 * system.
 */
export async function writeDurably(
  path: string,
  content: string | Uint8Array,
  mode: number,
  aside = `${path}.new`,
): Promise<void> {
  try {
    // Created afresh, so that nothing that already exists there, such as a link, is written through.
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
    // A leftover file would take up the little space there is.
    await rm(aside, { force: true });
    throw error;
  }
  await syncPath(dirname(path));
}

/**
 * Syncs a file, or the names in a directory, to disk. Without the latter, a renamed file may be lost together with its
 * new name.
 */
export async function syncPath(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
