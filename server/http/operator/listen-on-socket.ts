import { once } from 'node:events';
import { lstat, mkdir, unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { ConfigError } from '../../platform/config-error.ts';

/** Longest path that fits into the kernel's socket address, without the terminating zero. */
const MAX_PATH_BYTES = 107;
/** The umask that removes all permissions of group and others, and execution, from new files. */
const OWNER_ONLY = 0o177;

/** Returns the path of the operator's socket in a data directory. */
export function operatorSocket(dataDir: string): string {
  return join(dataDir, 'vauban.sock');
}

/**
 * Makes `app` listen on a Unix socket that only the service's own user may open. Replaces a socket left at `path` by a
 * dead process. Throws {@link ConfigError} if a live process listens there or the path cannot be a socket.
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
  // The socket is created within this call, so it has the right permissions from the start.
  const umask = process.umask(OWNER_ONLY);
  try {
    app.server.listen(path);
  } finally {
    process.umask(umask);
  }
  await listening;
}

/**
 * Removes a socket left at `path` by a dead process, and throws {@link ConfigError} if a live one listens there. Called
 * before the database is opened, it keeps a second service off a data directory in use.
 */
export async function clearSocket(path: string): Promise<void> {
  const found = await lstat(path).catch(unlessMissing);
  if (!found) return;
  if (!found.isSocket()) throw new ConfigError([`${path}: blocks the operator's socket`]);
  if (await isAlive(path)) {
    throw new ConfigError([`${path}: another process is listening there; is the service already running?`]);
  }
  await unlink(path).catch(unlessMissing);
}

function unlessMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
}

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
