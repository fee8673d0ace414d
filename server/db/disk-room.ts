import { existsSync, statfsSync } from 'node:fs';
import { dirname } from 'node:path';

const MB = 2 ** 20;

/**
 * What the embedded engine needs to open and to go on: the next file of its log, of 16 MB, which it writes in full before
 * it uses it, and as much again for its tables. Bytes.
 */
const ROOM = 32 * MB;
/** The same for a new one, whose empty database takes 40 MB. */
const ROOM_OF_NEW = 80 * MB;

/** In one sentence that there is too little room for the database in `directory`, or undefined where there is enough. */
export function shortage(directory: string): string | undefined {
  const isNew = !existsSync(directory);
  let place = directory;
  while (!existsSync(place)) place = dirname(place);
  const { bavail, bsize } = statfsSync(place);
  const free = bavail * bsize;
  const needed = isNew ? ROOM_OF_NEW : ROOM;
  if (free >= needed) return undefined;
  return `no room for the database in ${directory}: ${Math.floor(free / MB)} MB are free, it needs ${needed / MB} MB`;
}
