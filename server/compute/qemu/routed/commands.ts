import { applyNftBatch, runNetworkProgram } from '../../../platform/nft.ts';
import { ComputeUnavailableError } from '../../driver.ts';

/** In each change of ours, where a watcher of the tables sees it. */
export const SIGNATURE = 'vauban-own';

/** Runs a program and returns what it printed; {@link ComputeUnavailableError} with its own words where it fails. */
export function run(...call: Parameters<typeof runNetworkProgram>): Promise<string> {
  return runNetworkProgram(...call).catch(unavailable);
}

/** Applies a batch of nft: all of it or nothing; with `-c` the kernel only says whether it would. */
export function applyBatch(lines: string[], ...flags: '-c'[]): Promise<void> {
  return applyNftBatch(lines, { signature: `inet ${SIGNATURE}`, flags }).catch(unavailable);
}

function unavailable(error: Error): never {
  throw new ComputeUnavailableError(error.message, { cause: error.cause });
}
