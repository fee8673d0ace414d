import { stat, statfs } from 'node:fs/promises';
import { dirname } from 'node:path';

/** The free space and the usage of a file system, for an ordinary user. */
export interface FileSystemRoom {
  freeBytes: number;
  /** Share used of the space available to an ordinary user, from 0 to 1. */
  used: number;
}

/** Returns the free space of the file system that a directory is in, or will be in. */
export async function roomOf(directory: string): Promise<FileSystemRoom> {
  const { bavail, bfree, blocks, bsize } = await statfs(await nearest(directory));
  const taken = blocks - bfree;
  const whole = taken + bavail;
  return { freeBytes: bavail * bsize, used: whole === 0 ? 1 : taken / whole };
}

/** Returns whether two directories are on the same file system. */
export async function shareRoom(one: string, other: string): Promise<boolean> {
  const [a, b] = await Promise.all([one, other].map(async (each) => stat(await nearest(each))));
  return a!.dev === b!.dev;
}

/** Returns the directory, or its nearest existing ancestor. */
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
