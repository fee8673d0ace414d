import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { connectUnix } from '../../platform/unix-socket.ts';

// A guest's directory is also the guest's user's: after an escape from QEMU anything may lie there in the place of anything.

/** Something else lies in the place of a file of a guest. */
export class GuestFileError extends Error {
  override name = 'GuestFileError';
}

export interface GuestFileRules {
  /** Users one of whom must own the file; absent where the file may have been made by a user that is not known any more. */
  owners?: readonly number[];
  /** Of a file that is made. */
  mode?: number;
}

/** No link is followed, and a pipe keeps no one waiting. */
const NO_TRICKS = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
/** Only names the file, without opening it: Node has no name for it. Linux on every architecture that runs here. */
const O_PATH = 0o10000000;

/** The service itself, whose files in a guest's directory no guest can replace: the directory is sticky. */
export const OWN: readonly number[] = [process.geteuid?.() ?? 0, 0];

/**
 * Opens a file in a guest's directory: a regular one without another name, of an expected owner, and no link to one. Looked
 * at once it is open, so that it cannot be exchanged in between. {@link GuestFileError} where it is anything else.
 */
export async function openGuestFile(
  path: string,
  flags: number,
  { owners, mode = 0o600 }: GuestFileRules = {},
): Promise<FileHandle> {
  const file = await open(path, flags | NO_TRICKS, mode).catch((error) => {
    // Of a link, a pipe without a reader, a socket, a directory.
    if (!['ELOOP', 'ENXIO', 'EISDIR', 'ENODEV'].includes(error.code)) throw error;
    throw new GuestFileError(`${path} is not a regular file`, { cause: error });
  });
  try {
    const status = await file.stat();
    if (!status.isFile() || status.nlink !== 1) throw new GuestFileError(`${path} is not a regular file`);
    if (owners && !owners.includes(status.uid))
      throw new GuestFileError(`${path} is owned by user ${status.uid}`);
    return file;
  } catch (error) {
    await file.close();
    throw error;
  }
}

/** The first bytes of a file in a guest's directory, all of them where it is that short; see {@link openGuestFile}. */
export async function readGuestFile(path: string, maxBytes: number, rules?: GuestFileRules): Promise<Buffer> {
  const file = await openGuestFile(path, constants.O_RDONLY, rules);
  try {
    return await readAt(file, 0, Math.min(maxBytes, (await file.stat()).size));
  } finally {
    await file.close();
  }
}

/** The last bytes of such a file. */
export async function readGuestFileEnd(
  path: string,
  maxBytes: number,
  rules?: GuestFileRules,
): Promise<Buffer> {
  const file = await openGuestFile(path, constants.O_RDONLY, rules);
  try {
    return await lastBytes(file, maxBytes);
  } finally {
    await file.close();
  }
}

/** The last bytes of a file that is open. */
export async function lastBytes(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const { size } = await file.stat();
  const length = Math.min(size, maxBytes);
  return readAt(file, size - length, length);
}

/** Writes a new file in a guest's directory, in the place of whatever lies there; nothing that lies there is written to. */
export async function writeGuestFile(path: string, content: string | Buffer, mode: number): Promise<void> {
  const { O_WRONLY, O_CREAT, O_EXCL } = constants;
  await rm(path, { recursive: true, force: true });
  const file = await openGuestFile(path, O_WRONLY | O_CREAT | O_EXCL, { mode });
  try {
    await file.writeFile(content);
  } finally {
    await file.close();
  }
}

/**
 * Connects to a socket in a guest's directory. A link in its place would lead to any service of the host, so the socket
 * is named first, looked at, and reached by that name.
 */
export async function reachGuestSocket<T>(
  path: string,
  connect: (reachable: string) => Promise<T>,
): Promise<T> {
  const named = await open(path, O_PATH | constants.O_NOFOLLOW);
  try {
    if (!(await named.stat()).isSocket()) throw new GuestFileError(`${path} is not a socket`);
    return await connect(`/proc/self/fd/${named.fd}`);
  } finally {
    // Not awaited: a peer could hang up before the caller listens, and the caller would wait for it in vain.
    named.close().catch(() => {});
  }
}

/** A connection to such a socket. */
export function connectGuestSocket(path: string): Promise<Socket> {
  return reachGuestSocket(path, connectUnix);
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
