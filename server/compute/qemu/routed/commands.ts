import { checkNftBatch, runNetworkProgram } from '../../../platform/nftables/program.ts';
import { ComputeUnavailableError } from '../../driver.ts';

/**
 * Runs a program and returns its output. Throws {@link ComputeUnavailableError} with the program's own message if it
 * fails.
 */
export function run(...call: Parameters<typeof runNetworkProgram>): Promise<string> {
  return runNetworkProgram(...call).catch(unavailable);
}

/** Checks whether the kernel would accept an nft batch; changes nothing. */
export function checkBatch(lines: string[]): Promise<void> {
  return checkNftBatch(lines).catch(unavailable);
}

export function unavailable({ message, cause }: Error): never {
  throw new ComputeUnavailableError(message, { cause });
}
