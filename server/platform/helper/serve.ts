import { once } from 'node:events';
import { chmod, lstat, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { Clock } from '../clock.ts';
import type { Logger } from '../logging.ts';
import { MAX_MESSAGE_BYTES, readMessages } from './lines.ts';

/** One service, and for a moment the one that takes over from it. */
const MAX_CONNECTIONS = 8;
/** Operations of a connection under way; what it sends beyond them waits in the kernel's buffer. */
const MAX_UNDER_WAY = 64;
/** Members of the service's group may ask. */
const SOCKET_MODE = 0o660;

/** Does one operation with unchecked arguments, or refuses it. */
export type Perform = (operation: string, given: unknown) => Promise<unknown>;

export interface ServeOptions {
  path: string;
  clock: Clock;
  logger: Logger;
  maxMessageBytes?: number;
  /** What an operation is about, as fields of its line in the log; of unchecked arguments. */
  about?(given: unknown): Record<string, string | undefined>;
  /** Operations that are asked for again and again: done, they leave no line in the log. */
  silent?: readonly string[];
}

/**
 * Performs operations for any process that may open the socket at `path`: one request a line, `{id, operation, arguments}`,
 * answered by `{id, result}` or `{id, error: {name, message}}` as each ends. A line of log for each.
 */
export async function serveHelper(perform: Perform, options: ServeOptions): Promise<Server> {
  const { path } = options;
  // Another helper's would be in use still; a dead one's is in the way.
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
