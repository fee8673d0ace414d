import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import type { Peer } from '../on-record.ts';

const UNKNOWN: Peer = { uid: null, pid: null, userName: null, loginName: null };

/** From <asm-generic/socket.h> and <linux/socket.h>; the result is a `struct ucred`: pid, uid, gid. */
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
const UCRED_BYTES = 12;
/** Value in /proc for a process without a login. */
const NO_LOGIN = 4_294_967_295;

type GetSockOpt = (fd: number, level: number, name: number, value: Buffer, length: number[]) => number;

let getSockOpt: Promise<GetSockOpt> | undefined;

/**
 * Node cannot read socket options, so this calls the C library. Loaded at the first request, because a start does not
 * need it.
 */
async function loadGetSockOpt(): Promise<GetSockOpt> {
  const { default: koffi } = await import('koffi');
  return koffi
    .load(null)
    .func('int getsockopt(int fd, int level, int name, _Out_ void *value, _Inout_ uint32_t *length)');
}

export async function peerOf(socket: Socket): Promise<Peer> {
  const fd = (socket as { _handle?: { fd?: number } })._handle?.fd;
  if (process.platform !== 'linux' || fd === undefined || fd < 0) return UNKNOWN;
  getSockOpt ??= loadGetSockOpt();
  const ucred = Buffer.alloc(UCRED_BYTES);
  if ((await getSockOpt)(fd, SOL_SOCKET, SO_PEERCRED, ucred, [UCRED_BYTES]) !== 0) return UNKNOWN;
  const pid = ucred.readInt32LE(0);
  const uid = ucred.readUInt32LE(4);
  const login = await loginUid(pid);
  const userName = await userOf(uid);
  return { uid, pid, userName, loginName: login === null || login === uid ? null : await userOf(login) };
}

async function loginUid(pid: number): Promise<number | null> {
  const text = await readFile(`/proc/${pid}/loginuid`, 'utf8').catch(() => '');
  const uid = Number(text);
  return text === '' || uid === NO_LOGIN ? null : uid;
}

/** Returns the name of a user of this machine, or the number of one from a directory service. */
async function userOf(uid: number): Promise<string> {
  const users = await readFile('/etc/passwd', 'utf8').catch(() => '');
  const entry = users.split('\n').find((line) => line.split(':')[2] === String(uid));
  return entry?.split(':')[0] ?? String(uid);
}
