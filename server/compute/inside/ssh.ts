import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { within } from '../../platform/within.ts';
import { AgentUnavailableError } from '../driver.ts';

export const SSH_PORT = 22;

const BANNER = 'SSH-';
/** A server under load may take its time; a person waits no longer. */
const GREETING_MS = 10_000;
/** Before it is tried again at a server that closes a connection and says nothing, each time twice as long. */
const TURNED_AWAY_MS = 100;
const MOST_TRIES = 5;
/** The first try after a guest was started is short, because nothing answers yet; later ones leave a slow guest time. */
const SHORTEST_TRY_MS = 250;
const LONGEST_TRY_MS = 4_000;
const GROWTH = 1.5;
const PAUSE_MS = 50;
/** What is sent to a guest that is not there yet is lost, and the kernel sends it again after a second, three, seven. */
const CONNECT_AGAIN_MS = 150;
/** And never sooner than after this share of the wait so far: a boot of minutes must not cost a thousand sockets. */
const CONNECT_AGAIN_SHARE = 0.05;

class ConnectionClosedError extends Error {
  override message = 'the connection was closed';
}

/**
 * A connection to the SSH server of the guest `id`, which has greeted; {@link AgentUnavailableError} where none answers. A
 * server that is logging in as many as it takes at a time closes what comes beyond them and says nothing (dropbear from the
 * sixth of an address on, OpenSSH at random from the eleventh of all on), so that it is tried again after a moment.
 */
export async function openSsh(clock: Clock, id: string, open: () => Promise<Duplex>): Promise<Duplex> {
  for (let tries = 1, pauseMs = TURNED_AWAY_MS; ; tries++, pauseMs *= 2) {
    try {
      return await greeted(clock, await open(), GREETING_MS);
    } catch (error) {
      if (!(error instanceof ConnectionClosedError) || tries === MOST_TRIES)
        throw new AgentUnavailableError(
          `nothing answers on port ${SSH_PORT} of ${id}: ${(error as Error).message}`,
        );
    }
    await clock.sleep(pauseMs);
  }
}

/**
 * Resolves with `stream` when the SSH server at its other end has greeted, as it does by itself; nothing is lost of
 * what it said. Rejects, and ends the stream, when it closes or is silent for `ms`: a host may take a connection
 * long before the guest does.
 */
async function greeted(clock: Clock, stream: Duplex, ms: number): Promise<Duplex> {
  // Kept: a guest may break the connection while its next reader is on its way, which would end the process.
  stream.on('error', () => {});
  let said = Buffer.alloc(0);
  const over = new AbortController();
  const first = new Promise<void>((resolve, reject) => {
    const { signal } = over;
    const on = (event: string, listen: (bytes: Buffer) => void) => {
      stream.on(event, listen);
      signal.addEventListener('abort', () => stream.off(event, listen), { once: true });
    };
    on('error', reject as (error: unknown) => void);
    on('close', () => reject(new ConnectionClosedError()));
    on('data', (bytes) => {
      said = Buffer.concat([said, bytes]);
      // A greeting may come in pieces.
      if (said.length < BANNER.length) return;
      stream.pause();
      resolve();
    });
  });
  try {
    await within(clock, ms, first, () => new Error('nothing was said'));
    if (!said.toString('latin1').startsWith(BANNER)) throw new Error('this is no SSH server');
    over.abort();
    stream.unshift(said);
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** Begins a connection, and gives it up when the signal aborts. */
type Open = (signal: AbortSignal) => Promise<Duplex>;

/**
 * Whether a connection was taken, and where the server `greets` an SSH server was met, before `limitMs` were over; false
 * at once when `signal` aborts.
 */
export async function untilAnswered(
  clock: Clock,
  { open, greets }: { open: Open; greets: boolean },
  limitMs: number,
  signal: AbortSignal,
): Promise<boolean> {
  const end = clock.now().getTime() + limitMs;
  for (let tryMs = SHORTEST_TRY_MS; !signal.aborted; tryMs = Math.min(tryMs * GROWTH, LONGEST_TRY_MS)) {
    const stream = await connectSoon(clock, open)
      .then((opened) => (greets ? greeted(clock, opened, tryMs) : opened))
      .catch(() => undefined);
    stream?.on('error', () => {}).destroy();
    if (stream) return true;
    if (clock.now().getTime() >= end) return false;
    await clock.sleep(PAUSE_MS, signal).catch(() => {});
  }
  return false;
}

/**
 * The first of several connections, begun one after the other while none has come about: the guest is met soon after it
 * is there, and a slow one is still given its time. Rejects as soon as one of them does. The others are given up, or a guest
 * that has just come up would have all of them at once, and no room for the next.
 */
async function connectSoon(clock: Clock, open: Open): Promise<Duplex> {
  const over = new AbortController();
  const { promise, resolve, reject } = Promise.withResolvers<Duplex>();
  const begin = () =>
    open(over.signal).then((stream) => {
      if (over.signal.aborted) stream.on('error', () => {}).destroy();
      over.abort();
      resolve(stream);
    }, reject);
  promise.then(
    () => {},
    () => over.abort(),
  );
  let waited = 0;
  while (!over.signal.aborted) {
    begin();
    const pause = Math.max(CONNECT_AGAIN_MS, waited * CONNECT_AGAIN_SHARE);
    await Promise.race([promise, clock.sleep(pause, over.signal)]).catch(() => {});
    waited += pause;
  }
  return promise;
}
