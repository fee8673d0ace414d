import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** Copying a large guest's memory takes minutes; a program that takes longer has hung. */
const LIMIT_MS = 600_000;

/** Environment of every program that the driver starts. The service's own environment contains secrets. */
export const BARE_ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C' };

/** Returns a program's output. Throws with the program's own error message if it fails. */
export function run(program: string, ...args: string[]): Promise<string> {
  return runWithin(LIMIT_MS, program, ...args);
}

/** Same as `run`, but kills the program after `limitMs`. */
export async function runWithin(limitMs: number, program: string, ...args: string[]): Promise<string> {
  const limits = { maxBuffer: MAX_OUTPUT_BYTES, timeout: limitMs, killSignal: 'SIGKILL' } as const;
  try {
    return (await promisify(execFile)(program, args, { ...limits, env: BARE_ENVIRONMENT })).stdout;
  } catch (error) {
    throw failureOf(program, error, limitMs);
  }
}

/** Returns an error with the program's own message. */
export function failureOf(program: string, error: unknown, limitMs: number): Error {
  const { stderr, message, killed } = error as Error & { stderr?: string; killed?: boolean };
  if (killed) return new Error(`${program}: it was stopped after ${limitMs / 1000} s`);
  return new Error(`${program}: ${stderr?.trim() || message}`);
}
