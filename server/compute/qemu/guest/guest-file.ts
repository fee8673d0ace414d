import { constants } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { connectUnix } from '../../../platform/unix-socket.ts';

// The guest's user can write to its directory: after an escape from QEMU, any file there may have been replaced by
// anything.

/** A guest's file has been replaced by something else. */
export class GuestFileError extends Error {
  override name = 'GuestFileError';
}

export interface GuestFileRules {
  /** Users, one of whom must own the file. Absent if the file may have been created by a user that is no longer known. */
  owners?: readonly number[];
  /** Mode of a new file. */
  mode?: number;
}

/** Do not follow links or block on a pipe. */
const NO_TRICKS = constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
/**
 * Refers to the file without opening it. Node lacks this constant; the value is the same on every Linux architecture
 * supported here.
 */
const O_PATH = 0o10000000;

/** The service itself and root. A guest cannot replace their files in its directory, because the directory is sticky. */
export const OWN: readonly number[] = [process.geteuid?.() ?? 0, 0];

/**
 * Opens a file in a guest's directory. It must be a regular file with one name, owned by an expected user, and not a
 * link. It is checked after opening, so that it cannot be replaced in between. Throws {@link GuestFileError} otherwise.
 */
export async function openGuestFile(
  path: string,
  flags: number,
  { owners, mode = 0o600 }: GuestFileRules = {},
): Promise<FileHandle> {
  const file = await open(path, flags | NO_TRICKS, mode).catch((error) => {
    // For a link, a pipe without a reader, a socket or a directory.
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

/** Returns the first bytes of a file in a guest's directory, at most `maxBytes`; see {@link openGuestFile}. */
export async function readGuestFile(path: string, maxBytes: number, rules?: GuestFileRules): Promise<Buffer> {
  const file = await openGuestFile(path, constants.O_RDONLY, rules);
  try {
    return await readAt(file, 0, Math.min(maxBytes, (await file.stat()).size));
  } finally {
    await file.close();
  }
}

/** Returns the last bytes of a file in a guest's directory, at most `maxBytes`. */
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

/** Returns the last bytes of an open file, at most `maxBytes`. */
export async function lastBytes(file: FileHandle, maxBytes: number): Promise<Buffer> {
  const { size } = await file.stat();
  const length = Math.min(size, maxBytes);
  return readAt(file, size - length, length);
}

/** Creates a file in a guest's directory. Anything that was there is removed and never written to. */
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
 * Connects to a socket in a guest's directory. A link in its place could lead to any service of the host, so the file
 * is first opened as a reference, checked, and then reached through that reference.
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
    // Not awaited: the peer could hang up before the caller listens, and the caller would then wait forever.
    named.close().catch(() => {});
  }
}

/** Connects to a socket in a guest's directory; see {@link reachGuestSocket}. */
export function connectGuestSocket(path: string): Promise<Socket> {
  return reachGuestSocket(path, connectUnix);
}

async function readAt(file: FileHandle, at: number, length: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, at);
  return buffer.subarray(0, bytesRead);
}
