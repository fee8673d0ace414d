import { execFile } from 'node:child_process';
import { access, constants, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseJson } from '../peer/json.ts';

/** Enough for the tables of some ten thousand guests or targets as JSON. */
const MAX_OUTPUT = 64 * 1024 * 1024;
/** Enough for the same output; a table of ten thousand targets has some twenty values for each. */
const MAX_VALUES = 5_000_000;
/** A batch of everything takes seconds; a program that takes this long has hung. */
const TIME_LIMIT_MS = 60_000;
/** Only these directories, regardless of the PATH that the service was started with. */
export const ENVIRONMENT = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', LC_ALL: 'C' };

/** Runs a network program and returns its output; if it fails, the error contains its own message. */
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
    // If a program ends without reading its input, its exit status tells why.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

/** Parses the JSON output of a network program; no output counts as an empty list. */
export function parseListing(text: string): unknown {
  return parseJson(text || '[]', 'the network program', { maxBytes: MAX_OUTPUT, maxValues: MAX_VALUES });
}

/** Linux keeps this directory in memory; a disk may be slow. */
const MEMORY = '/dev/shm';

function placeOfBatches(): Promise<string> {
  return access(MEMORY, constants.W_OK).then(
    () => MEMORY,
    () => tmpdir(),
  );
}

/**
 * Applies a batch of nft commands, all of it or nothing. `signature` is a table that is added and deleted in the same
 * transaction, so that a watcher of the tables recognizes the change as ours.
 */
export function applyNftBatch(lines: string[], signature: string): Promise<void> {
  return runBatch([...lines, `add table ${signature}`, `delete table ${signature}`]);
}

/** Checks whether the kernel would accept a batch; changes nothing. */
export function checkNftBatch(lines: string[]): Promise<void> {
  return runBatch(lines, '-c');
}

/** Passes the batch in a file, because a broken pipe would look like the end of a shorter batch. */
async function runBatch(lines: string[], ...flags: string[]): Promise<void> {
  const directory = await mkdtemp(join(await placeOfBatches(), 'vauban-nft-'));
  try {
    const file = join(directory, 'batch');
    await writeFile(file, `${lines.join('\n')}\n`, { mode: 0o600 });
    await runNetworkProgram('nft', [...flags, '-f', file]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
