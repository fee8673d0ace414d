import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from '../process/arguments.ts';

export interface Collected {
  files: number;
  bytes: number;
}

/** Directories of the images and of the disks based on them. The pool is the data directory if not given. */
export interface ImagePlaces {
  dataDir: string;
  poolDir?: string;
}

/** Grace period for new files: an import may not have linked them to a name yet. */
const GRACE_MS = 3_600_000;
const HASH = /[0-9a-f]{64}/g;
/** Suffix of a file about to be deleted, so that no new guest finds it. */
const GOING = '.going';
const BLOCK_BYTES = 512;

/**
 * Deletes files that no image, guest or warm template needs: those of a re-imported or removed image whose last guest
 * is gone, and those left by an interrupted import. Throws, and deletes nothing, if a guest's record cannot be read.
 * `now` is wall-clock time, like file timestamps.
 */
export async function collectImages(
  place: ImagePlaces,
  now: Date,
  graceMs: number = GRACE_MS,
): Promise<Collected> {
  const images = join(place.dataDir, 'images');
  const files = join(images, 'files');
  const collected = { files: 0, bytes: 0 };
  let used = await hashesInUse(place);
  for (const name of await names(files)) {
    const path = join(files, name);
    const { ctimeMs, blocks } = await stat(path);
    if (used.has(name.replace(GOING, '')) || now.getTime() - ctimeMs < graceMs) {
      if (name.endsWith(GOING)) await rename(path, path.slice(0, -GOING.length));
      continue;
    }
    const going = name.endsWith(GOING) ? path : path + GOING;
    await rename(path, going);
    // A guest may have been created from it just before the rename; from now on none can be.
    used = await hashesInUse(place);
    if (used.has(name.replace(GOING, ''))) {
      await rename(going, going.slice(0, -GOING.length));
      continue;
    }
    await rm(going);
    collected.files++;
    collected.bytes += blocks * BLOCK_BYTES;
  }
  return collected;
}

/** Returns the hashes of files that an image's name leads to, or that a disk or record of a guest or template refers to. */
async function hashesInUse({ dataDir, poolDir = dataDir }: ImagePlaces): Promise<Set<string>> {
  const images = join(dataDir, 'images');
  const texts: string[] = [];
  for (const name of await names(images))
    if (name.endsWith('.json')) texts.push(await readRecord(join(images, name)));
  for (const parent of ['guests', 'warm']) {
    for (const name of await names(join(poolDir, parent))) {
      const directory = join(poolDir, parent, name);
      for (const disk of [FILES.disk, FILES.nextDisk, FILES.formerDisk])
        texts.push(await backingFile(join(directory, disk)));
      texts.push(await readRecord(join(directory, FILES.record)));
    }
  }
  return new Set(texts.flatMap((text) => text.match(HASH) ?? []));
}

/**
 * Returns the record of an image or a guest; '' if there is none. Throws if it is truncated, because the rest of it may
 * name files.
 */
async function readRecord(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(absent);
  if (text === undefined) return '';
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} cannot be read, so the files that it needs are unknown`, { cause: error });
  }
  return text;
}

/** Returns the path of the backing file from a qcow2 header; '' for anything else. */
async function backingFile(path: string): Promise<string> {
  const file = await open(path, 'r').catch(absent);
  if (!file) return '';
  try {
    const head = Buffer.alloc(20);
    await file.read(head, 0, head.length, 0);
    const name = Buffer.alloc(Math.min(head.readUInt32BE(16), 1_024));
    await file.read(name, 0, name.length, Number(head.readBigUInt64BE(8)));
    return name.toString('latin1');
  } finally {
    await file.close();
  }
}

async function names(directory: string): Promise<string[]> {
  return (await readdir(directory).catch(absent)) ?? [];
}

function absent(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT' && error.code !== 'ENOTDIR') throw error;
}
