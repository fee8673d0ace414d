import { open, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FILES } from './arguments.ts';

/** Files of images that were taken away, and their bytes. */
export interface Collected {
  files: number;
  bytes: number;
}

/** Where images are, and where what is made of them is; the data directory where that is not said. */
export interface ImagePlaces {
  dataDir: string;
  poolDir?: string;
}

/** How long what was just taken in, or is being taken in, is left alone: until then no name may lead to it yet. */
const GRACE_MS = 3_600_000;
const HASH = /[0-9a-f]{64}/g;
/** A file that is about to be removed: a new guest of it does not find it. */
const GOING = '.going';
const BLOCK_BYTES = 512;

/**
 * Takes files away that no image, no guest and no warm template needs: files of a re-imported or removed image whose
 * last guest has gone, and what an import that was cut off left. Throws, and takes nothing away, when a guest's record
 * cannot be read. `now` is a wall clock, as files have it.
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
    // A guest may have been made of it just before; from now on none can be.
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

/** Of files that an image's name leads to, or that a disk or a record of a guest or a template names. */
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

/** What is remembered of an image or a guest; '' where nothing is. A record that was cut short may lack what it needs. */
async function readRecord(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(absent);
  if (text === undefined) return '';
  try {
    JSON.parse(text);
  } catch (error) {
    throw new Error(`${path} cannot be read, so what it needs is not known`, { cause: error });
  }
  return text;
}

/** The path of what a qcow2 disk stands on, as its header has it; '' for anything else. */
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
