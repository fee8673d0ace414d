import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;

/** The environment of every program that the driver starts: the service's own holds secrets. */
export const BARE_ENVIRONMENT = { PATH: process.env.PATH, LC_ALL: 'C' };

/** What a program printed; throws with the program's own words when it failed. */
export async function run(program: string, ...args: string[]): Promise<string> {
  try {
    const options = { maxBuffer: MAX_OUTPUT_BYTES, env: BARE_ENVIRONMENT };
    return (await promisify(execFile)(program, args, options)).stdout;
  } catch (error) {
    const { stderr, message } = error as Error & { stderr?: string };
    throw new Error(`${program}: ${stderr?.trim() || message}`);
  }
}
