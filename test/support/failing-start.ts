import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { DatabaseLocation } from './database.ts';
import { REPOSITORY } from './source.ts';

/**
 * The exit codes of a service that is misconfigured, and of one that lacks something which may become available again.
 */
export const WRONG_CONFIGURATION = 78;
export const UNAVAILABLE = 69;

/** Returns the environment of a manually started service process: only what it needs. */
export function environment(location: DatabaseLocation, settings: Record<string, string>): NodeJS.ProcessEnv {
  const { PATH, HOME, TMPDIR } = process.env;
  return { PATH, HOME, TMPDIR, VAUBAN_LISTEN: '127.0.0.1:0', ...location.env, ...settings };
}

/** Starts a service that is expected to fail; returns its exit code and its standard error. */
export async function failingStart(location: DatabaseLocation, settings: Record<string, string>) {
  const env = environment(location, settings);
  const child = spawn(process.execPath, ['server/start.mjs'], { cwd: REPOSITORY, env });
  // A service that does start would run forever.
  let started = false;
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    if (!chunk.includes('"listening"')) return;
    started = true;
    child.kill('SIGTERM');
  });
  const [stderr, [status]] = await Promise.all([text(child.stderr), once(child, 'close')]);
  return { status: started ? 'started' : status, stderr };
}
