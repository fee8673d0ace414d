import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

const MB = 2 ** 20;

/**
 * Free space the embedded engine needs to open and keep working, in bytes: the next 16 MB file of its log, which it
 * writes in full before use, and the same again for its tables.
 */
const ROOM = 32 * MB;
/** The same for a new database, which takes 40 MB when empty. In bytes. */
const ROOM_OF_NEW = 80 * MB;

/**
 * Returns one sentence saying that there is too little disk space for the database in `directory`, or undefined if
 * there is enough.
 */
export function shortage(directory: string): string | undefined {
  const isNew = !existsSync(directory);
  let place = directory;
  while (!existsSync(place)) place = dirname(place);
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const needed = isNew ? ROOM_OF_NEW : ROOM;
  if (free >= needed) return undefined;
  return `not enough space for the database in ${directory}: ${Math.floor(free / MB)} MB are free, but it needs ${needed / MB} MB`;
}
