import { execFile } from 'node:child_process';
import { type FileHandle, open } from 'node:fs/promises';
import { promisify } from 'node:util';
import { parseJson } from '../../../platform/peer/json.ts';
import { BARE_ENVIRONMENT } from '../process/command.ts';

const run = promisify(execFile);

export type DiskFormat = 'qcow2' | 'raw';

/** The reason a file cannot be a guest's disk: a sentence without its subject, such as "is a VMDK file". */
export class DiskFileError extends Error {
  override name = 'DiskFileError';
}

/** Smaller than any partition table followed by a system. */
const MIN_VIRTUAL_BYTES = 2 ** 20;
/** Larger than any image on offer: a guest's disk could never be smaller than its image. */
const MAX_VIRTUAL_BYTES = 2 ** 41;

/** File types often mistaken for disks, with their magic bytes and offset. */
const OTHERS: readonly { kind: string; magic: string; at: number }[] = [
  { kind: 'a VMDK disk', magic: 'KDMV', at: 0 },
  { kind: 'a VMDK description', magic: '# Disk DescriptorFile', at: 0 },
  { kind: 'a VHDX disk', magic: 'vhdxfile', at: 0 },
  { kind: 'a VHD disk', magic: 'conectix', at: 0 },
  { kind: 'a VDI disk', magic: '<<< ', at: 0 },
  { kind: 'a QED disk', magic: 'QED\0', at: 0 },
  { kind: 'compressed with gzip', magic: '\x1f\x8b', at: 0 },
  { kind: 'compressed with xz', magic: '\xfd7zXZ\0', at: 0 },
  { kind: 'compressed with zstd', magic: '\x28\xb5\x2f\xfd', at: 0 },
  { kind: 'a ZIP archive', magic: 'PK\x03\x04', at: 0 },
];
const QCOW2_MAGIC = 'QFI\xfb';
/** Marks a partition table at the end of the first sector; GPT disks have it as well. */
const BOOT_SIGNATURE = '\x55\xaa';
const SECTOR = 512;
/** Checking or converting a large image takes minutes. */
const LIMIT_MS = 3_600_000;
const EXTERNAL_DATA_FILE = 1n << 2n;

/**
 * Returns the format of a file from its first sector. Throws {@link DiskFileError} for anything that is not a disk, and
 * for a qcow2 file that refers to another file: its author could choose which files this machine reads. Does not use
 * `qemu-img` for this, because that would open the other file.
 */
export async function diskFormat(path: string): Promise<DiskFormat> {
  const file = await open(path, 'r');
  try {
    const head = await readHead(file);
    const begins = (text: string, at: number) =>
      head.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'));
    if (begins(QCOW2_MAGIC, 0)) {
      refuseReferences(head);
      return 'qcow2';
    }
    const other = OTHERS.find(({ magic, at }) => begins(magic, at));
    if (other) throw new DiskFileError(`is ${other.kind}, not a qcow2 or raw disk`);
    if (!begins(BOOT_SIGNATURE, SECTOR - BOOT_SIGNATURE.length))
      throw new DiskFileError('is neither a qcow2 disk nor a raw disk with a partition table');
    return 'raw';
  } finally {
    await file.close();
  }
}

async function readHead(file: FileHandle): Promise<Buffer> {
  const head = Buffer.alloc(SECTOR);
  const { bytesRead } = await file.read(head, 0, SECTOR, 0);
  if (bytesRead < SECTOR) throw new DiskFileError('is too short to be a disk');
  return head;
}

/** Header fields: version at 4, backing file at 8, encryption at 32, incompatible features at 72. */
function refuseReferences(head: Buffer): void {
  const version = head.readUInt32BE(4);
  if (version !== 2 && version !== 3)
    throw new DiskFileError(`is qcow2 version ${version}; only 2 and 3 are supported`);
  if (head.readBigUInt64BE(8) !== 0n)
    throw new DiskFileError('has a backing file; merge them with `qemu-img convert`');
  if (head.readUInt32BE(32) !== 0) throw new DiskFileError('is encrypted');
  if (version === 3 && head.readBigUInt64BE(72) & EXTERNAL_DATA_FILE)
    throw new DiskFileError('keeps its data in another file; merge them with `qemu-img convert`');
}

/**
 * Returns the disk size that a guest will see, after `qemu-img` has found the disk intact. Call {@link diskFormat}
 * first.
 */
export async function virtualSize(path: string, format: DiskFormat): Promise<number> {
  const info = await qemuImg('info', '--output=json', '-f', format, path);
  const bytes = (parseJson(info, 'qemu-img') as { 'virtual-size': number })['virtual-size'];
  if (bytes < MIN_VIRTUAL_BYTES || bytes > MAX_VIRTUAL_BYTES)
    throw new DiskFileError(`has a virtual size of ${bytes} bytes; 1 MiB to 2 TiB are supported`);
  if (format === 'qcow2') await qemuImg('check', '-q', '-f', 'qcow2', path);
  return bytes;
}

export async function convertRaw(from: string, to: string): Promise<void> {
  await qemuImg('convert', '-f', 'raw', '-O', 'qcow2', from, to);
}

async function qemuImg(...args: string[]): Promise<string> {
  try {
    const limits = { timeout: LIMIT_MS, killSignal: 'SIGKILL' } as const;
    return (await run('qemu-img', args, { ...limits, env: BARE_ENVIRONMENT })).stdout;
  } catch (error) {
    const { code, stderr = '' } = error as { code?: unknown; stderr?: string };
    if (code === 'ENOENT') throw new DiskFileError('cannot be checked: qemu-img is not installed');
    const reason = stderr.trim().split('\n').at(-1) || 'it is damaged';
    throw new DiskFileError(`is refused by qemu-img ${args[0]}: ${reason}`);
  }
}
