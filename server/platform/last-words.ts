import { writeSync } from 'node:fs';
import { PeerError } from './peer/peer-error.ts';
import { redactLine } from './redaction.ts';

const STDERR = 2;
const EXIT_FAILURE = 1;

/**
 * Logs an uncaught exception, with the name of the peer that caused it if known, and ends the process, because the
 * exception may have left anything half done. Writes synchronously because the process is about to exit.
 */
export function logLastWords(): void {
  process.on('uncaughtException', (error: unknown, origin) => {
    const { name, message, stack } = error instanceof Error ? error : new Error(String(error));
    const facts = {
      level: 'fatal',
      time: new Date().toISOString(),
      msg: 'the process ends because of an uncaught exception',
    };
    const about = { origin, peer: peerOf(error), err: { type: name, message, stack } };
    writeSync(STDERR, redactLine(`${JSON.stringify({ ...facts, ...about })}\n`));
    process.exit(EXIT_FAILURE);
  });
}

function peerOf(error: unknown): string | undefined {
  for (let at = error, depth = 0; at instanceof Error && depth < 8; at = at.cause, depth++)
    if (at instanceof PeerError) return at.peer;
  return undefined;
}
