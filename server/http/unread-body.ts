import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../platform/clock.ts';

/** Of a body that is refused unread, this much is taken off the wire: some ten times the largest that is allowed. */
const DRAINED_BYTES = 4 * 1024 * 1024;
/** A client that sends nothing for so long waits for the answer. */
const SILENCE_MS = 1_000;
/** One that sends byte after byte is not waited for any longer. */
const DRAIN_MS = 10_000;

/**
 * Refuses a request only when its body has arrived, within bounds. A client or proxy that is still sending, HAProxy and
 * Caddy among them, takes an early answer for the end of the connection, and may lose it. Where the bounds are reached
 * the answer ends the connection, because what follows on it is the rest of the body.
 */
export function drainRefused(app: FastifyInstance, clock: Clock): void {
  app.addHook('onSend', async ({ raw }, reply, payload) => {
    if (reply.statusCode >= 400 && !(await drained(raw, clock))) reply.header('connection', 'close');
    return payload;
  });
}

/** Reads the rest of a request to throw it away; whether that was all of it. */
async function drained(raw: IncomingMessage, clock: Clock): Promise<boolean> {
  if (raw.complete || raw.readableEnded || raw.destroyed) return true;
  const over = new AbortController();
  const end = () => over.abort();
  let bytes = 0;
  const count = (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > DRAINED_BYTES) end();
  };
  raw.on('data', count).on('end', end).on('close', end).resume();
  let before = -1;
  for (let left = DRAIN_MS; left > 0 && before < bytes && !over.signal.aborted; left -= SILENCE_MS) {
    before = bytes;
    await clock.sleep(SILENCE_MS, over.signal).catch(() => {});
  }
  raw.off('data', count).off('end', end).off('close', end);
  return raw.complete || raw.readableEnded;
}
