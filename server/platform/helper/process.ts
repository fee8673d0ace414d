import type { Server } from 'node:net';
import { safeLines } from '../../../shared/safe-text.ts';
import { ConfigError } from '../config-error.ts';

const EXIT_USAGE = 64;
/** As the service's: a start with the same configuration fails again. */
const EXIT_CONFIG = 78;

/** Ends the process with how it is to be called. */
export function exitUsage(usage: string): never {
  process.stderr.write(`usage: ${usage}\n`);
  process.exit(EXIT_USAGE);
}

/** What a helper's own configuration allows; one that cannot be used ends the process, which then names an `example`. */
export function allowanceOf<T>(load: (path: string) => T, path: string, example: string): T {
  try {
    return load(path);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${safeLines(error.message)} (see ${example})\n`);
    process.exit(EXIT_CONFIG);
  }
}

/** Ends in order on SIGTERM and SIGINT: what is under way ends first, and what was made stays. */
export function endOnSignal(server: Server, close: () => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.close();
      close().then(() => process.exit(0));
    });
  }
}
