import { once } from 'node:events';
import { lstat, mkdir, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ConfigError } from '../platform/config-error.ts';

/** What the kernel has room for in a socket's address, without the zero at its end. */
const MAX_PATH_BYTES = 107;
/** Takes the rights of group and others, and the right to execute, away from what is created. */
const OWNER_ONLY = 0o177;

/** Where the operator's socket of a data directory is. */
export function operatorSocket(dataDir: string): string {
  return join(dataDir, 'vauban.sock');
}

/**
 * Makes `app` listen on a Unix socket that only the service's own user may open. What a dead process left
 * at `path` is replaced; {@link ConfigError} where a live one listens or where the path cannot be a socket.
 */
export async function listenOnSocket(app: FastifyInstance, path: string): Promise<void> {
  const bytes = Buffer.byteLength(path);
  if (bytes > MAX_PATH_BYTES) {
    throw new ConfigError([
      `VAUBAN_DATA_DIR: the operator's socket ${path} would have a path of ${bytes} bytes; ` +
        `the system allows ${MAX_PATH_BYTES}`,
    ]);
  }
  await clearSocket(path);
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await app.ready();
  const listening = once(app.server, 'listening');
  // The socket has its rights from its first moment: it is made within this call.
  const umask = process.umask(OWNER_ONLY);
  try {
    app.server.listen(path);
  } finally {
    process.umask(umask);
  }
  await listening;
}

/**
 * Makes way for a socket at `path`: removes what a dead process left, and throws {@link ConfigError} where a live
 * one listens. Called before the database is opened, it keeps a second service off a data directory in use.
 */
export async function clearSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(unlessMissing);
  if (!found) return;
  if (!found.isSocket()) throw new ConfigError([`${path}: is in the way of the operator's socket`]);
  if (await isAlive(path)) {
    throw new ConfigError([`${path}: another process listens there; is the service running already?`]);
  }
  await unlink(path).catch(unlessMissing);
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

/** Whether a process accepts connections on the socket. */
async function isAlive(path: string): Promise<boolean> {
  const socket = connect(path);
  try {
    await once(socket, 'connect');
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ECONNREFUSED' || code === 'ENOENT') return false;
    throw error;
  } finally {
    socket.destroy();
  }
}
