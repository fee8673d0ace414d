import type { Server } from 'node:net';
import { parseArgs } from 'node:util';
import { safeLines } from '../../shared/safe-text.ts';
import { type Clock, systemClock } from '../platform/clock.ts';
import { ConfigError } from '../platform/config-error.ts';
import { logLastWords } from '../platform/last-words.ts';
import { createLogger, type Logger } from '../platform/logging.ts';
import { Alterations } from './alterations.ts';
import { type Perform, type ServeOptions, serveHelper } from './serve.ts';

// The skeleton of a privileged helper. An entry file such as server/edged.ts adds the driver that does the work, and
// the closed list of operations that the service may request.

const EXIT_USAGE = 64;
/** The same as the service's: another start with the same configuration would fail too. */
const EXIT_CONFIG = 78;

export interface HelperEntry<Allowance, Flag extends string, Option extends string> {
  /** The entry file's name, for its usage. */
  program: string;
  /** Required flags besides `--config` and `--socket`, each with a placeholder for its value. */
  flags?: Record<Flag, string>;
  /** Flags that may be absent. */
  options?: Record<Option, string>;
  /** A configuration that works, for the message about one that does not. */
  example: string;
  /** Reads what the host's owner permits. Throws {@link ConfigError}. */
  load(path: string): Allowance;
  /** Opens the driver and checks what it can do here. */
  open(context: HelperContext<Allowance, Flag, Option>): Promise<HelperService>;
}

export interface HelperContext<Allowance, Flag extends string, Option extends string> {
  /** The path of the configuration that the allowance was read from. */
  config: string;
  allowance: Allowance;
  flags: Record<Flag, string> & Partial<Record<Option, string>>;
  clock: Clock;
  logger: Logger;
  /** Remembers changes by other processes until the service asks for them. */
  alterations: Alterations;
}

export interface HelperService extends Pick<ServeOptions, 'about' | 'silent'> {
  /** The subject of the report, for the log. */
  what: string;
  /** The result of the driver's check of this host. */
  report: object;
  perform: Perform;
  /** Waits for pending work; what was made stays. */
  close(): Promise<void>;
}

/**
 * Runs a helper: reads its flags and the configuration of the host's owner, opens its driver, and performs its
 * operations for the members of the socket's group until SIGTERM or SIGINT.
 */
export async function runHelper<Allowance, Flag extends string = never, Option extends string = never>(
  entry: HelperEntry<Allowance, Flag, Option>,
): Promise<void> {
  const { config, socket, ...flags } = flagsOf(entry);
  logLastWords();
  const clock = systemClock;
  const logger = createLogger({ logLevel: 'info' });
  const allowance = allowanceOf(entry, config);
  const alterations = new Alterations(clock);
  const { what, report, perform, close, ...served } = await entry.open({
    config,
    allowance,
    flags: flags as unknown as HelperContext<Allowance, Flag, Option>['flags'],
    clock,
    logger,
    alterations,
  });
  logger.info(report, what);
  const server = await serveHelper(perform, { ...served, path: socket, clock, logger });
  logger.info({ socket }, 'listening');
  endOnSignal(server, close);
}

/** Returns the values of the command line's flags. If one is missing, prints the usage and ends the process. */
function flagsOf<Flag extends string, Option extends string>({
  program,
  flags,
  options = {} as Record<Option, string>,
}: Pick<HelperEntry<unknown, Flag, Option>, 'program' | 'flags' | 'options'>) {
  const required = { config: 'FILE', socket: 'PATH', ...flags } as Record<string, string>;
  const names = [...Object.keys(required), ...Object.keys(options)];
  const text = { type: 'string' } as const;
  const { values } = parseArgs({ options: Object.fromEntries(names.map((name) => [name, text])) });
  if (Object.keys(required).every((name) => values[name])) {
    return values as { config: string; socket: string } & Record<string, string>;
  }
  const words = [
    ...Object.entries(required).map(([name, value]) => `--${name} ${value}`),
    ...Object.entries(options).map(([name, value]) => `[--${name} ${value}]`),
  ];
  process.stderr.write(`usage: ${program} ${words.join(' ')}\n`);
  process.exit(EXIT_USAGE);
}

/** Loads a helper's own configuration. If it is invalid, prints why, refers to the example, and ends the process. */
function allowanceOf<Allowance>(
  { load, example }: { load(path: string): Allowance; example: string },
  path: string,
): Allowance {
  try {
    return load(path);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    process.stderr.write(`${safeLines(error.message)} (see ${example})\n`);
    process.exit(EXIT_CONFIG);
  }
}

/** Shuts down cleanly on SIGTERM and SIGINT: pending work finishes first. */
function endOnSignal(server: Server, close: () => Promise<void>): void {
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => {
      server.close();
      close().then(() => process.exit(0));
    });
  }
}
