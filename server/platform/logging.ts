import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { redactLine } from './redaction.ts';

export type { Logger } from 'pino';

/** Lines kept for a reader of stdout who has stalled; later ones are dropped rather than fill the memory. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/**
 * The service's logger: one JSON object a line, secrets redacted (see redaction.ts). Writing to stdout is
 * asynchronous, and what is still buffered is written when the process exits.
 */
export function createLogger(
  config: { logLevel: string },
  output: DestinationStream = destination({ fd: 1, sync: false, maxLength: MAX_BUFFERED_BYTES }),
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
