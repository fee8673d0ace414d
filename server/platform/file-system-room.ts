import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** How full a file system is, as an ordinary user sees it. */
export interface FileSystemRoom {
  freeBytes: number;
  /** From 0 to 1: what is taken of what an ordinary user may have. */
  used: number;
}

/** The room of the file system that a directory is in, or will be. */
export async function roomOf(directory: string): Promise<FileSystemRoom> {
  const { bavail, bfree, blocks, bsize } = await statfs(await nearest(directory));
  const taken = blocks - bfree;
  const whole = taken + bavail;
  return { freeBytes: bavail * bsize, used: whole === 0 ? 1 : taken / whole };
}

/** Whether two directories take their room of one file system. */
export async function shareRoom(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(async (each) => stat(await nearest(each))));
  return a!.dev === b!.dev;
}

/** The directory, or the nearest above it that is there. */
async function nearest(directory: string): Promise<string> {
  const parent = dirname(directory);
  return stat(directory).then(
    () => directory,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && parent !== directory) return nearest(parent);
      throw error;
    },
  );
}
