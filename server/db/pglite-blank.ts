import { openAsBlob } from 'node:fs';
import { mkdir, rename, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { PGlite } from '@electric-sql/pglite';
import manifest from '../package.json' with { type: 'json' };

/** Cached with the packages and named after the engine's version, so that another version never picks it up. */
const ENGINE = manifest.dependencies['@electric-sql/pglite'];
const BLANK = fileURLToPath(
  new URL(`../../node_modules/.cache/vauban/blank-${ENGINE}.tar.gz`, import.meta.url),
);

/**
 * Returns an empty database made in advance: unpacking it takes half as long as creating one. Undefined if none was
 * made.
 */
export async function blankDatabase(): Promise<Blob | undefined> {
  return openAsBlob(BLANK, { type: 'application/gzip' }).catch(() => undefined);
}

/** Makes the empty database that is unpacked at first starts. */
export async function makeBlankDatabase(): Promise<void> {
  const pg = await PGlite.create();
  const archive = await pg.dumpDataDir('gzip');
  await pg.close();
  await mkdir(dirname(BLANK), { recursive: true });
  const unfinished = `${BLANK}.${process.pid}`;
  await writeFile(unfinished, archive.stream());
  await rename(unfinished, BLANK);
}
