import { once } from 'node:events';
import { chmod, lstat, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../platform/clock.ts';
import type { Logger } from '../platform/logging.ts';
import { MAX_MESSAGE_BYTES, readMessages } from './lines.ts';

/** One service, and briefly the one that replaces it. */
const MAX_CONNECTIONS = 8;
/** Operations in progress per connection; further requests wait in the kernel's buffer. */
const MAX_UNDER_WAY = 64;
/** Members of the service's group may send requests. */
const SOCKET_MODE = 0o660;

/** Performs one operation with unvalidated arguments, or refuses it. */
export type Perform = (operation: string, given: unknown) => Promise<unknown>;

export interface ServeOptions {
  path: string;
  clock: Clock;
  logger: Logger;
  maxMessageBytes?: number;
  /** Returns fields that describe an operation in its log line, from unvalidated arguments. */
  about?(given: unknown): Record<string, string | undefined>;
  /** Operations that are requested continually: they leave no log line if they succeed. */
  silent?: readonly string[];
}

/**
 * Performs operations for any process that may open the socket at `path`: one request per line, `{id, operation,
 * arguments}`, answered by `{id, result}` or `{id, error: {name, message}}` as each completes. Logs one line for each.
 */
export async function serveHelper(perform: Perform, options: ServeOptions): Promise<Server> {
  const { path } = options;
  // A socket left by a helper that died is in the way. Removing that of a live one would not end its connections.
  if ((await lstat(path).catch(() => undefined))?.isSocket()) await rm(path);
  const server = createServer((socket) => serveConnection(perform, options, socket));
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

function serveConnection(perform: Perform, options: ServeOptions, socket: Socket): void {
  const { logger } = options;
  let underWay = 0;
  socket.on('error', (error) => logger.warn({ err: error }, 'connection ended'));
  readMessages(
    socket,
    'a client of the helper',
    (message) => {
      underWay++;
      if (underWay >= MAX_UNDER_WAY) socket.pause();
      answer(perform, options, message).then((reply) => {
        underWay--;
        socket.resume();
        if (socket.writable) socket.write(`${JSON.stringify(reply)}\n`);
      });
    },
    options.maxMessageBytes ?? MAX_MESSAGE_BYTES,
  );
}

async function answer(perform: Perform, options: ServeOptions, message: unknown): Promise<object> {
  const { clock, logger, silent = [] } = options;
  const { id = null, operation = '', arguments: given } = Object(message);
  const started = clock.now().getTime();
  const about = { operation: String(operation), ...options.about?.(given) };
  const milliseconds = () => clock.now().getTime() - started;
  try {
    const result = await perform(about.operation, given);
    if (!silent.includes(about.operation)) logger.info({ ...about, ms: milliseconds() }, 'done');
    return { id, result: result ?? null };
  } catch (error) {
    const { name, message } = error as Error;
    logger.warn({ ...about, ms: milliseconds(), error: message }, 'refused or failed');
    return { id, error: { name, message } };
  }
}
