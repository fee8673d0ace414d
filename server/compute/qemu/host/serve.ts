import { once } from 'node:events';
import { chmod, lstat, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../../../platform/clock.ts';
import type { Logger } from '../../../platform/logging.ts';
import { MAX_MESSAGE_BYTES, readMessages } from './lines.ts';
import { type HostParts, perform } from './operations.ts';

/** One service, and for a moment the one that takes over from it. */
const MAX_CONNECTIONS = 8;
/** Operations of a connection under way; what it sends beyond them waits in the kernel's buffer. */
const MAX_UNDER_WAY = 64;
/** Members of the service's group may ask. */
const SOCKET_MODE = 0o660;

export interface ServeOptions {
  path: string;
  clock: Clock;
  logger: Logger;
  maxMessageBytes?: number;
}

/**
 * Performs operations for any process that may open the socket at `path`: one request a line, `{id, operation, arguments}`,
 * answered by `{id, result}` or `{id, error: {name, message}}` as each ends. A line of log for each.
 */
export async function serveHost(parts: HostParts, options: ServeOptions): Promise<Server> {
  const { path } = options;
  // Another helper's would be in use still; a dead one's is in the way.
  if ((await lstat(path).catch(() => undefined))?.isSocket()) await rm(path);
  const server = createServer((socket) => serveConnection(parts, options, socket));
  server.maxConnections = MAX_CONNECTIONS;
  const umask = process.umask(0o777 & ~SOCKET_MODE);
  try {
    server.listen(path);
  } finally {
    process.umask(umask);
  }
  await once(server, 'listening');
  await chmod(path, SOCKET_MODE);
  return server;
}

function serveConnection(parts: HostParts, options: ServeOptions, socket: Socket): void {
  const { logger } = options;
  let underWay = 0;
  socket.on('error', (error) => logger.warn({ err: error }, 'connection ended'));
  readMessages(
    socket,
    (message) => {
      underWay++;
      if (underWay >= MAX_UNDER_WAY) socket.pause();
      answer(parts, options, message).then((reply) => {
        underWay--;
        socket.resume();
        if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
      });
    },
    options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
  );
}

async function answer(parts: HostParts, { clock, logger }: ServeOptions, message: unknown): Promise<object> {
  const { id = null, operation = '', arguments: given } = Object(message);
  const started = clock.now().getTime();
  const about = { operation: String(operation), guest: guestOf(given) };
  const milliseconds = () => clock.now().getTime() - started;
  try {
    const result = await perform(parts, about.operation, given);
    logger.info({ ...about, ms: milliseconds() }, 'done');
    return { id, result: result ?? null };
  } catch (error) {
    const { name, message } = error as Error;
    logger.warn({ ...about, ms: milliseconds(), error: message }, 'refused or failed');
    return { id, error: { name, message } };
  }
}

/** Whom an operation is about, for the log; unchecked, so cut short. */
function guestOf(given: unknown): string | undefined {
  const { id, guest, spec } = Object(given);
  const found = id ?? Object(guest).id ?? Object(spec).id;
  return typeof found === 'string' ? found.slice(0, 64) : undefined;
}
