import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { readableLine } from './readable-log.ts';
import { redactLine } from './redaction.ts';

export type { Logger } from 'pino';

/** Lines kept for a reader of stdout who has stalled; later ones are dropped rather than fill the memory. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/**
 * Standard output: readable lines in a terminal, JSON for everything else. Writing is asynchronous, and what is still
 * buffered is written when the process exits.
 */
function standardOutput(): DestinationStream {
  // A terminal is written to as the rest of the process writes to it, so that lines keep their order.
  if (process.stdout.isTTY) return { write: (line) => void process.stdout.write(readableLine(line)) };
  return destination({ fd: 1, sync: false, maxLength: MAX_BUFFERED_BYTES });
}

/** The service's logger: one JSON object a line, secrets redacted (see redaction.ts). */
export function createLogger(
  config: { logLevel: string },
  output: DestinationStream = standardOutput(),
): Logger {
  return pino(
    {
      level: config.logLevel,
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      hooks: { streamWrite: redactLine },
    },
    output,
  );
}
