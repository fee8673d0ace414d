import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { readableLine } from './readable-log.ts';
import { redactLine } from './redaction.ts';

export type { Logger } from 'pino';

/** Lines kept for a reader of stdout who has stalled; later ones are dropped rather than fill the memory. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/**
 * Lines are written together: so many bytes at once, or those of so many milliseconds. A write for each line of a busy
 * service was a tenth of what its requests cost, with the thread that makes it.
 */
const TOGETHER = { bytes: 8 * 1024, ms: 10 };

/**
 * Standard output: readable lines in a terminal, JSON for everything else. Writing is asynchronous, and what is still
 * buffered is written when the process exits.
 */
function standardOutput(): DestinationStream {
  // A terminal is written to as the rest of the process writes to it, so that lines keep their order.
  if (process.stdout.isTTY) return { write: (line) => void process.stdout.write(readableLine(line)) };
  return together(
    destination({ fd: 1, sync: false, minLength: TOGETHER.bytes, maxLength: MAX_BUFFERED_BYTES }),
  );
}

type Output = ReturnType<typeof destination>;

/** Sees to it that what an output buffers is written soon. */
function together(output: Output): DestinationStream {
  let waiting = 0;
  let isDue = false;
  const flush = () => {
    isDue = false;
    if (!(output as Output & { destroyed: boolean }).destroyed) output.flush();
  };
  const schedule = () => {
    if (!isDue) setTimeout(flush, TOGETHER.ms).unref();
    isDue = true;
  };
  output.on('write', (bytes: number) => {
    waiting -= bytes;
  });
  output.on('drop', (line: string) => {
    waiting -= Buffer.byteLength(line);
  });
  // A flush does nothing while a write is under way: what came meanwhile would wait for the next line.
  output.on('drain', () => {
    if (waiting > 0) schedule();
  });
  return {
    write(line) {
      waiting += Buffer.byteLength(line);
      output.write(line);
      schedule();
    },
    // Before the process ends for what is fatal.
    flushSync: () => output.flushSync(),
  } as DestinationStream;
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
