import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { OWN, readGuestFile } from './guest-file.ts';

/** A guest's disk whose header says what no disk of ours does. */
export class DiskHeaderError extends Error {
  override name = 'DiskHeaderError';
}

/** Of the format's specification: header, extensions and the backing file's name are in the first cluster, of 2 MB at most. */
const FIRST_CLUSTER = 2 * 1024 * 1024;
const MAGIC = 0x514649fb;
const SHORTEST = 72;
const V3 = 104;
const MAX_NAME = 1_023;
/** Incompatible features: dirty, corrupt, compression of another type, extended table entries. Not: data in another file. */
const KNOWN_FEATURES = 0b11011n;
/** Extensions of the header, by their numbers. */
const EXTENSION = { end: 0, backingFormat: 0xe2792aca, dataFile: 0x44415441, encryption: 0x0537be77 };
const ANYONE_MAY_WRITE = 0o222;

/**
 * Refuses a guest's disk that refers to a file besides `base`: its header is in a file that the guest's QEMU writes to, and
 * programs that open it open whatever it names. `base` absent: the one of a guest of an earlier version, which must be
 * a file of the service that no one may write to, as images and warm templates are. {@link DiskHeaderError}.
 */
export async function checkDisk(path: string, base?: string): Promise<void> {
  const named = backingFileOf(await readGuestFile(path, FIRST_CLUSTER, { owners: OWN }));
  if (base !== undefined && named !== base) throw new DiskHeaderError(`its backing file is ${quoted(named)}`);
  if (base === undefined && named !== undefined) await requireImage(named);
}

/** The backing file that a qcow2 header names, if any. Throws where it is no header, or says what none of ours does. */
export function backingFileOf(head: Buffer): string | undefined {
  if (head.length < SHORTEST || head.readUInt32BE(0) !== MAGIC) throw new DiskHeaderError('it is not qcow2');
  const version = head.readUInt32BE(4);
  if (version !== 2 && (version !== 3 || head.length < V3))
    throw new DiskHeaderError(`it is qcow2 of version ${version}`);
  if (head.readUInt32BE(32) !== 0) throw new DiskHeaderError('it is encrypted');
  if (version === 3) {
    const features = head.readBigUInt64BE(72);
    if (features & ~KNOWN_FEATURES)
      throw new DiskHeaderError(`it has the features 0x${features.toString(16)}`);
  }
  checkExtensions(head, version === 3 ? head.readUInt32BE(100) : SHORTEST);
  const at = Number(head.readBigUInt64BE(8));
  if (at === 0) return undefined;
  const length = head.readUInt32BE(16);
  if (length === 0 || length > MAX_NAME || at + length > head.length)
    throw new DiskHeaderError('its backing file has no name');
  return head.toString('utf8', at, at + length);
}

function checkExtensions(head: Buffer, first: number): void {
  for (let at = first; at + 8 <= head.length; ) {
    const [kind, length] = [head.readUInt32BE(at), head.readUInt32BE(at + 4)];
    const content = head.toString('latin1', at + 8, at + 8 + length);
    if (kind === EXTENSION.end) return;
    if (kind === EXTENSION.dataFile) throw new DiskHeaderError('it keeps its data in another file');
    if (kind === EXTENSION.encryption) throw new DiskHeaderError('it is encrypted');
    if (kind === EXTENSION.backingFormat && content !== 'qcow2')
      throw new DiskHeaderError(`its backing file is ${quoted(content)}`);
    at += 8 + Math.ceil(length / 8) * 8;
  }
}

async function requireImage(path: string): Promise<void> {
  // What it is is known once it is open, so that nothing else takes its place.
  const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error) => {
      throw new DiskHeaderError(`its backing file is ${quoted(path)}`, { cause: error });
    },
  );
  try {
    const status = await file.stat();
    const isImage = status.isFile() && OWN.includes(status.uid) && (status.mode & ANYONE_MAY_WRITE) === 0;
    if (!isImage) throw new DiskHeaderError(`its backing file is ${quoted(path)}`);
  } finally {
    await file.close();
  }
}

const quoted = (text: string | undefined) =>
  text === undefined ? 'missing' : JSON.stringify(text.slice(0, 200));
