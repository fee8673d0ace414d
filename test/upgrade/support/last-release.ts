import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import { defer, type Lifetime } from '../../support/cleanup.ts';

const REPOSITORY = join(import.meta.dirname, '../../..');

/** The sources of the last release, written by `npm run release:keep`. */
export const ARCHIVE = join(REPOSITORY, 'test/upgrade/last-release.tar.br');
/** The parts of a release that the service needs to run. */
export const KEPT = ['server', 'shared', 'catalog.yaml', 'package.json'];

/**
 * Unpacks the last release and returns its directory. Packages and the panel are this repository's, because building
 * them takes minutes.
 */
export function unpackLastRelease(t: Lifetime): string {
  const directory = mkdtempSync(join(tmpdir(), 'vauban-last-release-'));
  defer(t, () => rmSync(directory, { recursive: true }));
  const input = brotliDecompressSync(readFileSync(ARCHIVE));
  execFileSync('tar', ['-x', '-C', directory], { input });
  for (const name of ['node_modules', 'panel']) symlinkSync(join(REPOSITORY, name), join(directory, name));
  return directory;
}
