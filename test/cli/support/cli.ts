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
  /** What comes from the standard input. */
  input?: string;
  /** Somebody sits at a terminal, and answers each question so. */
  answer?: string;
  env?: Record<string, string>;
  signal?: AbortSignal;
  /** Sees what is printed as it is. */
  onOutput?: (soFar: string) => void;
}

/** The program in this process: words in, output and exit code out. */
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
    // What was written is read in a later turn.
    await new Promise((resolve) => setImmediate(resolve));
    return { code, ...seen };
  };
}

/** The program with a key for a service. */
export const cliAt = (url: string, key: string): Cli => cliWith({ VAUBAN_URL: url, VAUBAN_API_KEY: key });

/** Leaves nothing behind when the test ends: a signal that aborts then. */
export function untilEnd(t: TestContext): AbortSignal {
  const abort = new AbortController();
  defer(t, () => abort.abort());
  return abort.signal;
}
