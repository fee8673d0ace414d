import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
/** A copy of a large guest's memory takes minutes; a program that needs longer has hung. */
const LIMIT_MS = 600_000;

/** The environment of every program that the driver starts: the service's own holds secrets. */
export const BARE_ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C' };

/** What a program printed; throws with the program's own words when it failed. */
export function run(program: string, ...args: string[]): Promise<string> {
  return runWithin(LIMIT_MS, program, ...args);
}

/** The same for a program that is ended after `limitMs`. */
export async function runWithin(limitMs: number, program: string, ...args: string[]): Promise<string> {
  const limits = { maxBuffer: MAX_OUTPUT_BYTES, timeout: limitMs, killSignal: 'SIGKILL' } as const;
  try {
    return (await promisify(execFile)(program, args, { ...limits, env: BARE_ENVIRONMENT })).stdout;
  } catch (error) {
    throw failureOf(program, error, limitMs);
  }
}

/** Why a program failed, in its own words. */
export function failureOf(program: string, error: unknown, limitMs: number): Error {
  const { stderr, message, killed } = error as Error & { stderr?: string; killed?: boolean };
  if (killed) return new Error(`${program}: it was ended after ${limitMs / 1000} s`);
  return new Error(`${program}: ${stderr?.trim() || message}`);
}
