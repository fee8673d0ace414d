import type { Server } from 'node:net';
import { safeLines } from '../../../shared/safe-text.ts';
import { ConfigError } from '../config-error.ts';

const EXIT_USAGE = 64;
/** The same as the service's: another start with the same configuration would fail too. */
const EXIT_CONFIG = 78;

/** Prints the usage and ends the process. */
export function exitUsage(usage: string): never {
  process.stderr.write(`usage: ${usage}\n`);
  process.exit(EXIT_USAGE);
}

/** Loads a helper's own configuration. If it is invalid, prints why, refers to `example`, and ends the process. */
export function allowanceOf<T>(load: (path: string) => T, path: string, example: string): T {
  try {
    return load(path);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${safeLines(error.message)} (see ${example})\n`);
    process.exit(EXIT_CONFIG);
  }
}

/** Shuts down cleanly on SIGTERM and SIGINT: pending work finishes first, and rules that were made stay. */
export function endOnSignal(server: Server, close: () => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.close();
      close().then(() => process.exit(0));
    });
  }
}
