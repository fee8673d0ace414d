import type { IncomingMessage } from 'node:http';
import type { FastifyInstance } from 'fastify';
import type { Clock } from '../platform/clock.ts';

/** Bytes read from a body that is refused unread: about ten times the largest allowed body. */
const DRAINED_BYTES = 4 * 1024 * 1024;
/** A client that sends nothing for this long is waiting for the answer. */
const SILENCE_MS = 1_000;
/** A client that keeps sending a few bytes at a time is not waited for any longer than this. */
const DRAIN_MS = 10_000;

/**
 * Delays a refusal until the body has arrived, within bounds. A client or proxy that is still sending, such as
 * HAProxy and Caddy, treats an early answer as the end of the connection and may lose it. If a bound is reached, the
 * answer closes the connection, because the next bytes on it are the rest of the body.
 */
export function drainRefused(app: FastifyInstance, clock: Clock): void {
  app.addHook('onSend', async ({ raw }, reply, payload) => {
    if (reply.statusCode >= 400 && !(await drained(raw, clock))) reply.header('connection', 'close');
    return payload;
  });
}

/** Reads and discards the rest of a request. Returns true if it was read completely. */
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
