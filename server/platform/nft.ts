import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from './peer/json.ts';

/** The tables of some ten thousand guests or targets as JSON. */
const MAX_OUTPUT = 64 * 1024 * 1024;
/** Of the same; a table of ten thousand targets has some twenty values for each. */
const MAX_VALUES = 5_000_000;
/** A batch of everything takes seconds; a program that needs this long has hung. */
const TIME_LIMIT_MS = 60_000;
/** These programs only: what PATH the service was started with decides nothing. */
export const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/** Runs a program of the network and returns what it printed; where it fails, its own words are in the error. */
export function runNetworkProgram(
  program: 'nft' | 'ip' | 'tc' | 'conntrack',
  args: string[],
  input?: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { env: ENVIRONMENT, maxBuffer: MAX_OUTPUT, timeout: TIME_LIMIT_MS };
    const child = execFile(program, args, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const words = stderr.trim().split('\n')[0] || error.message;
      reject(new Error(`${program}: ${words}`, { cause: error }));
    });
    // A program that ends without reading is reported by its exit.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** Parses what a program of the network printed as JSON; nothing printed is an empty list. */
export function parseListing(text: string): unknown {
  return parseJson(text || '[]', 'the network program', { maxBytes: MAX_OUTPUT, maxValues: MAX_VALUES });
}

/** Memory where Linux has it, as a disk may be slow. */
const MEMORY = '/dev/shm';

/** Where batches are written. */
function placeOfBatches(): Promise<string> {
  return access(MEMORY, constants.W_OK).then(
    () => MEMORY,
    () => tmpdir(),
  );
}

/**
 * Applies a batch of nft: all of it or nothing; with `-c` the kernel only says whether it would. It goes by a file, as a
 * pipe that breaks in the middle would look like the end of a shorter batch. `signature` is a table that is made and gone
 * in the same step, by which a watcher of the tables knows whose change it is.
 */
export async function applyNftBatch(
  lines: string[],
  { signature, flags = [] }: { signature: string; flags?: '-c'[] },
): Promise<void> {
  const directory = await mkdtemp(join(await placeOfBatches(), 'vauban-nft-'));
  try {
    const file = join(directory, 'batch');
    const signed = [...lines, `add table ${signature}`, `delete table ${signature}`];
    await writeFile(file, `${signed.join('\n')}\n`, { mode: 0o600 });
    await runNetworkProgram('nft', [...flags, '-f', file]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
