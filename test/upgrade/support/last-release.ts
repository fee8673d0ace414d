import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { defer, type Lifetime } from '../../support/cleanup.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');

/** The sources of the last release: made by `npm run release:keep`. */
export const ARCHIVE = join(REPOSITORY, 'test/upgrade/last-release.tar.br');
/** What of a release the service needs to run. */
export const KEPT = ['server', 'shared', 'catalog.yaml', 'package.json'];

/** Unpacks the last release; its directory. Packages and panel are this repository's, as building them takes minutes. */
export function unpackLastRelease(t: Lifetime): string {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-last-release-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const input = brotliDecompressSync(readFileSync(ARCHIVE));
  execFileSync('tar', ['-x', '-C', directory], { input });
  for (const name of ['node_modules', 'panel']) symlinkSync(join(REPOSITORY, name), join(directory, name));
  return directory;
}
