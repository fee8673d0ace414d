import { applyNftBatch, runNetworkProgram } from '../../../platform/nft.ts';
import { ComputeUnavailableError } from '../../driver.ts';

/** Part of each of our changes, so that a watcher of the tables recognizes them. */
export const SIGNATURE = 'vauban-own';

/**
 * Runs a program and returns its output. Throws {@link ComputeUnavailableError} with the program's own message if it
 * fails.
 */
export function run(...call: Parameters<typeof runNetworkProgram>): Promise<string> {
  return runNetworkProgram(...call).catch(unavailable);
}

/** Applies an nft batch completely or not at all. With `-c` the kernel only checks whether it would accept it. */
export function applyBatch(lines: string[], ...flags: '-c'[]): Promise<void> {
  return applyNftBatch(lines, { signature: `inet ${SIGNATURE}`, flags }).catch(unavailable);
}

function unavailable(error: Error): never {
  throw new ComputeUnavailableError(error.message, { cause: error.cause });
}
