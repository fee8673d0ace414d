import { type DestinationStream, destination, type Logger, pino, stdTimeFunctions } from 'pino';
import { readableLine } from './readable-log.ts';
import { redactLine } from './redaction.ts';

export type { Logger } from 'pino';

/** Bytes buffered for a stdout reader that has stalled; later lines are dropped to protect the memory. */
const MAX_BUFFERED_BYTES = 16 * 1024 * 1024;

/**
 * Lines are written in groups: this many bytes at once, or whatever came within this many milliseconds. One write per
 * line, with its thread, took a tenth of what a busy service's requests cost.
 */
const TOGETHER = { bytes: 8 * 1024, ms: 10 };

/**
 * Returns standard output: readable lines in a terminal, JSON otherwise. Writing is asynchronous; buffered lines are
 * written when the process exits.
 */
function standardOutput(): DestinationStream {
  // Written like the rest of the process's terminal output, so that lines keep their order.
  if (process.stdout.isTTY) return { write: (line) => void process.stdout.write(readableLine(line)) };
  return together(
    destination({ fd: 1, sync: false, minLength: TOGETHER.bytes, maxLength: MAX_BUFFERED_BYTES }),
  );
}

type Output = ReturnType<typeof destination>;

/** Makes sure that buffered lines are written soon. */
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
  // A flush does nothing during a write, so lines that arrived meanwhile would have to wait for the next line.
  output.on('drain', () => {
    if (waiting > 0) schedule();
  });
  return {
    write(line) {
      waiting += Buffer.byteLength(line);
      output.write(line);
      schedule();
    },
    // Called before the process ends because of a fatal error.
    flushSync: () => output.flushSync(),
  } as DestinationStream;
}

/** Creates the service's logger: one JSON object per line, secrets redacted (see redaction.ts). */
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
