import { execFileSync } from 'node:child_process';
import { statfsSync } from 'node:fs';
import { mkdtemp, open, rm, rmdir } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defer, type Lifetime } from './cleanup.ts';

const MB = 2 ** 20;

/** Why tests with small disks are skipped: only root may mount one. */
export const noSmallDisk = process.getuid?.() !== 0 && 'only root may mount a disk';

/** A separate disk in memory that can be filled. */
export interface SmallDisk {
  directory: string;
  /** Fills the disk until this many megabytes are free. */
  fill(leftMb?: number): Promise<void>;
  /** Removes what filled the disk. */
  makeRoom(): Promise<void>;
}

/** Mounts a disk of this many megabytes until the test ends. */
export async function smallDisk(t: Lifetime, sizeMb: number): Promise<SmallDisk> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-disk-'));
  defer(t, () => rmdir(directory));
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${sizeMb}m`, 'tmpfs', directory]);
  // Lazily: a process that a failed test left behind must not block the unmount.
  defer(t, () => void execFileSync('umount', ['--lazy', directory]));
  return { directory, ...fillable(directory) };
}

/** Fills the disk that contains a directory, and frees the space again. */
export function fillable(directory: string): Pick<SmallDisk, 'fill' | 'makeRoom'> {
  const ballast = join(directory, 'ballast');
  return {
    async fill(leftMb = 0) {
      const file = await open(ballast, 'a');
      try {
        for (;;) {
          const { bavail, bsize } = statfsSync(directory);
          const left = bavail * bsize - leftMb * MB;
          if (left <= 0) return;
          await file.write(Buffer.alloc(Math.min(left, MB)));
        }
      } catch (error) {
        // Another process used the rest in the meantime.
        if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
      } finally {
        await file.close();
      }
    },
    makeRoom: () => rm(ballast),
  };
}
