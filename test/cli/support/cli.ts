import { PassThrough } from 'node:stream';
import type { TestContext } from 'node:test';
import type { Io } from '../../../cli/src/io.ts';
import { run } from '../../../cli/src/run.ts';
import { defer } from '../../support/cleanup.ts';

export interface Run {
  code: number;
  stdout: string;
  stderr: string;
}

export interface Given {
  /** Standard input. */
  input?: string;
  /** Simulates a user at a terminal who gives this answer to each question. */
  answer?: string;
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Receives the output while it is printed. */
  onOutput?: (soFar: string) => void;
}

/** The program in this process: takes words and returns output and exit code. */
export type Cli = (words: string[], given?: Given) => Promise<Run>;

export function cliWith(env: Record<string, string>): Cli {
  return async (words, given = {}) => {
    const stdin: Io['stdin'] = new PassThrough();
    const stdout: Io['stdout'] = new PassThrough();
    const stderr: Io['stderr'] = new PassThrough();
    const seen = { stdout: '', stderr: '' };
    stdout.on('data', (chunk) => {
      seen.stdout += chunk;
      given.onOutput?.(seen.stdout);
    });
    stderr.on('data', (chunk) => {
      seen.stderr += chunk;
      if (String(chunk).includes('? [y/N]')) (stdin as PassThrough).write(`${given.answer}\n`);
    });
    if (given.answer === undefined) (stdin as PassThrough).end(given.input ?? '');
    else Object.assign(stdin, { isTTY: true });
    const code = await run(words, {
      env: { ...env, ...given.env },
      stdin,
      stdout,
      stderr,
      signal: given.signal ?? new AbortController().signal,
    });
    // Written output is read in a later turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    return { code, ...seen };
  };
}

export const cliAt = (url: string, key: string): Cli => cliWith({ VAUBAN_URL: url, VAUBAN_API_KEY: key });

/** Returns a signal that aborts when the test ends, so that nothing is left behind. */
export function untilEnd(t: TestContext): AbortSignal {
  const abort = new AbortController();
  defer(t, () => abort.abort());
  return abort.signal;
}
