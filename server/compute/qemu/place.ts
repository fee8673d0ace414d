import { randomUUID } from 'node:crypto';
import { link, mkdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath, writeDurably } from '../../platform/durable-file.ts';

/** Beside the guests, and no name that a guest can have. */
const FILE = 'engine.id';
const ID = /^[0-9a-f-]{36}$/;

/**
 * The id of a directory of guests, made when first asked for: by it a directory that is empty because a file system is
 * not mounted is distinguished from the one that the guests are in. Throws where the file holds something else.
 */
export async function placeOf(directory: string): Promise<string> {
  await mkdir(directory, { recursive: true, mode: 0o770 });
  const path = join(directory, FILE);
  const found = await readFile(path, 'utf8').catch((error) => {
    if (error.code !== 'ENOENT') throw error;
    return makeId(directory, path);
  });
  const id = found.trim();
  if (!ID.test(id)) throw new Error(`${path} does not hold the id of a directory of guests`);
  return id;
}

/** Two that ask at once get one id; a power failure leaves it whole or not there. */
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
