import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ComputeUnavailableError } from '../../driver.ts';

/** The tables of some ten thousand guests as JSON. */
const MAX_OUTPUT = 64 * 1024 * 1024;
/** A batch of all guests takes seconds; a program that needs this long has hung. */
const TIME_LIMIT_MS = 60_000;
/** These programs only: what PATH the service was started with decides nothing. */
export const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/** Runs a program and returns what it printed; {@link ComputeUnavailableError} with its own words where it fails. */
export function run(program: 'nft' | 'ip' | 'tc', args: string[], input?: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: ENVIRONMENT, maxBuffer: MAX_OUTPUT, timeout: TIME_LIMIT_MS };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const words = stderr.trim().split('\n')[0] || error.message;
      reject(new ComputeUnavailableError(`${program}: ${words}`, { cause: error }));
    });
    // A program that ends without reading is reported by its exit.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** In each change of ours, where a watcher of the tables sees it: a table that is made and gone in one step. */
export const SIGNATURE = 'vauban-own';
const SIGNED = [`add table inet ${SIGNATURE}`, `delete table inet ${SIGNATURE}`];

/**
 * Applies a batch of nft: all of it or nothing; with `-c` the kernel only says whether it would. It goes by a file, as a pipe that breaks in the middle would look like
 * the end of a shorter batch.
 */
export async function applyBatch(lines: string[], ...flags: '-c'[]): Promise<void> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-nft-'));
  try {
    const file = join(directory, 'batch');
    await writeFile(file, `${[...lines, ...SIGNED].join('\n')}\n`, { mode: 0o600 });
    await run('nft', [...flags, '-f', file]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
