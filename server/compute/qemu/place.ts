import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath, writeDurably } from '../../platform/durable-file.ts';

/** Lies next to the guests' directories; no guest can have this name. */
const FILE = 'engine.id';
const ID = /^[0-9a-f-]{36}$/;

/**
 * Returns the id of a directory of guests, created at the first request. It tells the real directory from one that is
 * empty because a file system is not mounted. Throws if the file contains anything else.
 */
export async function placeOf(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o770 });
  const path = join(directory, FILE);
  const found = await readFile(path, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return makeId(directory, path);
  });
  const id = found.trim();
  if (!ID.test(id)) throw new Error(`${path} does not contain the id of a directory of guests`);
  return id;
}

/** Concurrent calls get the same id. After a power failure, the file is either complete or absent. */
async function makeId(directory: string, path: string): Promise<string> {
  const id = randomUUID();
  const draft = `${path}.${id}`;
  await writeDurably(draft, `${id}\n`, 0o660);
  await link(draft, path).catch((error) => {
    if (error.code !== 'EEXIST') throw error;
  });
  await rm(draft);
  await syncPath(directory);
  return readFile(path, 'utf8');
}
