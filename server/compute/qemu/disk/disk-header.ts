import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { OWN, readGuestFile } from '../guest/guest-file.ts';

/** A guest's disk has a header that no disk of ours has. */
export class DiskHeaderError extends Error {
  override name = 'DiskHeaderError';
}

/**
 * By the format's specification, the header, its extensions and the backing file's name are all in the first cluster,
 * of at most 2 MB.
 */
const FIRST_CLUSTER = 2 * 1024 * 1024;
const MAGIC = 0x514649fb;
const SHORTEST = 72;
const V3 = 104;
const MAX_NAME = 1_023;
/**
 * Known incompatible features: dirty, corrupt, other compression type, extended L2 entries. External data file is not
 * among them.
 */
const KNOWN_FEATURES = 0b11011n;
/** Type numbers of header extensions. */
const EXTENSION = { end: 0, backingFormat: 0xe2792aca, dataFile: 0x44415441, encryption: 0x0537be77 };
const ANYONE_MAY_WRITE = 0o222;

/**
 * Refuses a guest's disk that refers to a file other than `base`. The guest's QEMU can write to the header, and
 * programs that open the disk open any file named there. If `base` is absent, the guest is from an earlier version: its
 * backing file must then be a file of the service that no one can write to, such as an image or a warm template. Throws
 * {@link DiskHeaderError}.
 */
export async function checkDisk(path: string, base?: string): Promise<void> {
  const named = backingFileOf(await readGuestFile(path, FIRST_CLUSTER, { owners: OWN }));
  if (base !== undefined && named !== base) throw new DiskHeaderError(`its backing file is ${quoted(named)}`);
  if (base === undefined && named !== undefined) await requireImage(named);
}

/**
 * Returns the backing file named in a qcow2 header, if any. Throws if it is not such a header or if no header of ours
 * could look like it.
 */
export function backingFileOf(head: Buffer): string | undefined {
  if (head.length < SHORTEST || head.readUInt32BE(0) !== MAGIC) throw new DiskHeaderError('it is not qcow2');
  const version = head.readUInt32BE(4);
  if (version !== 2 && (version !== 3 || head.length < V3))
    throw new DiskHeaderError(`it is qcow2 version ${version}`);
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
  // Checked after opening, so that the file cannot be replaced in between.
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
