import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import { within } from '../../platform/within.ts';
import { AgentUnavailableError } from '../driver.ts';

export const SSH_PORT = 22;

const BANNER = 'SSH-';
/** A loaded server may be slow, but a person waits no longer than this. */
const GREETING_MS = 10_000;
/** First pause before retrying a server that closes the connection silently; doubled each time. */
const TURNED_AWAY_MS = 100;
const MOST_TRIES = 5;
/**
 * The first attempt after a guest's start is short, because nothing answers yet; later ones give a slow guest more
 * time.
 */
const SHORTEST_TRY_MS = 250;
const LONGEST_TRY_MS = 4_000;
const GROWTH = 1.5;
const PAUSE_MS = 50;
/** Packets to a guest that is not up yet are lost, and the kernel resends them only after one, three and seven seconds. */
const CONNECT_AGAIN_MS = 150;
/** Minimum interval as a share of the wait so far, so that a boot of minutes does not cost a thousand sockets. */
const CONNECT_AGAIN_SHARE = 0.05;

class ConnectionClosedError extends Error {
  override message = 'the connection was closed';
}

/**
 * Opens a connection to the SSH server of the guest `id`, which has sent its greeting. Throws
 * {@link AgentUnavailableError} if none answers. A server with too many logins in progress silently closes further
 * connections (dropbear from the sixth per address, OpenSSH at random from the eleventh in total), so those are retried
 * after a moment.
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
 * Resolves with `stream` once the SSH server at its other end has sent its greeting, none of which is lost. Rejects and
 * destroys the stream if it closes or stays silent for `ms`: a host may accept a connection long before the guest does.
 */
async function greeted(clock: Clock, stream: Duplex, ms: number): Promise<Duplex> {
  // Stays attached: the guest may break the connection before the next reader listens, which would end the process.
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
      // A greeting may arrive in several chunks.
      if (said.length < BANNER.length) return;
      stream.pause();
      resolve();
    });
  });
  try {
    await within(clock, ms, first, () => new Error('no greeting was received'));
    if (!said.toString('latin1').startsWith(BANNER)) throw new Error('this is not an SSH server');
    over.abort();
    stream.unshift(said);
    return stream;
  } catch (error) {
    stream.destroy();
    throw error;
  }
}

/** Starts a connection and abandons it when the signal aborts. */
type Open = (signal: AbortSignal) => Promise<Duplex>;

/**
 * Returns whether a connection was accepted within `limitMs`, and with `greets` also whether an SSH server greeted.
 * Returns false immediately when `signal` aborts.
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
 * Returns the first of several connections, which are started one after the other until one is established. So a guest
 * is reached soon after it is up, and a slow one still gets its time. Rejects as soon as one of them does. The others
 * are abandoned, otherwise a guest that has just come up would get them all at once and have no capacity for the next
 * one.
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
