import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import { chmod, copyFile, link, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { syncPath, writeDurably } from '../../../platform/durable-file.ts';
import { roomOf } from '../../../platform/file-system-room.ts';
import { convertRaw, DiskFileError, diskFormat, virtualSize } from '../disk/disk-file.ts';
import type { DirectBoot, Image } from './image.ts';
import { ImageError, type ImageSource, NAME, readinessOf, refuseFields } from './image-source.ts';

/**
 * The images of this machine. Files are stored under the hash of their content and never change; a small file per name
 * lists those that belong together. So re-importing a name leaves the disks that guests are based on untouched, and two
 * processes may import at once.
 */
export interface ImageStore {
  /**
   * Checks and copies the source. Throws {@link ImageError} naming the problem, with nothing changed. Repeating an
   * import succeeds.
   */
  import(source: ImageSource): Promise<Image>;
  /** Returns the readable images, sorted by name. */
  list(): Promise<Image[]>;
  /** Returns names whose record cannot be read. No VM is created from them until they are imported again or removed. */
  unreadable(): Promise<string[]>;
  /** Rejects if the record exists but cannot be read: that is different from an image that was never imported. */
  find(name: string): Promise<Image | undefined>;
  /**
   * Removes the name. Its files stay for guests based on them until they are collected. Returns false if there is no
   * such image.
   */
  remove(name: string): Promise<boolean>;
}

const READ_ONLY = 0o444;
const BLOCK_BYTES = 512;
const MEGABYTE = 1_048_576;
/** Suffixes of the file for each name, and of incomplete files. */
const RECORD = '.json';
const UNFINISHED = '.unfinished';

/** The stored form, with the hashes of files instead of their paths. */
interface ImageRecord extends Omit<Image, 'name' | 'disk'> {
  directBoot?: DirectBoot;
}

/**
 * Creates a store in `directory`, which the first import creates. An import leaves `reservedBytes` of its file system
 * free, for the database that is also there.
 */
export function createImageStore(directory: string, reservedBytes = 0): ImageStore {
  const files = join(directory, 'files');

  async function find(name: string): Promise<Image | undefined> {
    if (!NAME.test(name)) return undefined;
    try {
      const record = JSON.parse(await readFile(join(directory, name + RECORD), 'utf8')) as ImageRecord;
      return present(name, record, files);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new Error(`the image ${name} cannot be read`, { cause: error });
    }
  }

  async function names(): Promise<string[]> {
    const entries = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const records = entries.filter((entry) => entry.endsWith(RECORD));
    return records.map((entry) => entry.slice(0, -RECORD.length)).sort();
  }

  /** Returns each name with its image or the reason it cannot be read. */
  async function findAll() {
    const all = await names();
    const images = await Promise.allSettled(all.map(find));
    return images.map((image, index) => ({ name: all[index]!, image }));
  }

  async function list(): Promise<Image[]> {
    const all = await findAll();
    return all.flatMap(({ image }) => (image.status === 'fulfilled' && image.value ? [image.value] : []));
  }

  async function unreadable(): Promise<string[]> {
    const all = await findAll();
    return all.flatMap(({ name, image }) => (image.status === 'rejected' ? [name] : []));
  }

  async function importImage(source: ImageSource): Promise<Image> {
    refuseFields(source);
    await mkdir(files, { recursive: true });
    await requireRoom(source, files, reservedBytes);
    const intake = new Intake(files);
    try {
      const disk = await keepDisk(intake, source);
      const directBoot = await keepBoot(intake, source);
      const record: ImageRecord = {
        ...disk,
        user: source.user,
        ...(directBoot && { directBoot }),
        ...readinessOf(source),
        ...(source.warm && { warm: true }),
      };
      await syncPath(files);
      const text = `${JSON.stringify(record, null, 2)}\n`;
      await writeDurably(join(directory, source.name + RECORD), text, 0o644, intake.draft());
      return present(source.name, record, files);
    } finally {
      await intake.clear();
    }
  }

  async function remove(name: string): Promise<boolean> {
    if (!(await names()).includes(name)) return false;
    await rm(join(directory, name + RECORD));
    await syncPath(directory);
    return true;
  }

  return { import: importImage, list, unreadable, find, remove };
}

function present(name: string, { directBoot, ...record }: ImageRecord, files: string): Image {
  const boot = directBoot && {
    kernel: join(files, directBoot.kernel),
    initrd: join(files, directBoot.initrd),
    append: directBoot.append,
  };
  return { name, ...record, disk: join(files, record.sha256), ...(boot && { directBoot: boot }) };
}

/** The files of one import: drafts, of which the valid ones are kept. */
class Intake {
  readonly #directory: string;
  readonly #drafts: string[] = [];

  constructor(directory: string) {
    this.#directory = directory;
  }

  draft(): string {
    const path = join(this.#directory, randomUUID() + UNFINISHED);
    this.#drafts.push(path);
    return path;
  }

  /** Keeps a draft. If its content is already stored, that file stays, because guests may be based on it. */
  async keep(draft: string, hash: string): Promise<string> {
    await chmod(draft, READ_ONLY);
    await syncPath(draft);
    const kept = join(this.#directory, hash);
    await link(draft, kept).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
      // Updates the file's change time, so that it is not collected before a name refers to it.
      return chmod(kept, READ_ONLY);
    });
    return hash;
  }

  async clear(): Promise<void> {
    await Promise.all(this.#drafts.map((path) => rm(path, { force: true })));
  }
}

async function keepDisk(intake: Intake, source: ImageSource) {
  const copy = intake.draft();
  await copyInto(copy, 'disk', source.disk);
  const found = await hashOf(copy);
  if (source.sha256 !== undefined && source.sha256 !== found)
    throw new ImageError('sha256', `does not match: that of the disk is ${found}`);
  try {
    const format = await diskFormat(copy);
    const virtualBytes = await virtualSize(copy, format);
    if (format === 'qcow2') return { sha256: await intake.keep(copy, found), virtualBytes };
    const converted = intake.draft();
    await convertRaw(copy, converted);
    return { sha256: await intake.keep(converted, await hashOf(converted)), virtualBytes };
  } catch (error) {
    if (!(error instanceof DiskFileError)) throw error;
    throw new ImageError('disk', error.message.replaceAll(copy, source.disk), { cause: error });
  }
}

async function keepBoot(intake: Intake, { directBoot }: ImageSource): Promise<DirectBoot | undefined> {
  if (!directBoot) return undefined;
  const keepPart = async (part: 'kernel' | 'initrd') => {
    const copy = intake.draft();
    await copyInto(copy, part, directBoot[part]);
    return intake.keep(copy, await hashOf(copy));
  };
  const kernel = await keepPart('kernel');
  return { kernel, initrd: await keepPart('initrd'), append: directBoot.append };
}

/** Checked before copying: an import that fills the file system would leave the database no space. */
async function requireRoom({ disk }: ImageSource, files: string, reservedBytes: number): Promise<void> {
  const found = await stat(disk).catch(() => undefined);
  if (!found || reservedBytes === 0) return;
  const room = (await roomOf(files)).freeBytes - reservedBytes;
  if (found.blocks * BLOCK_BYTES <= room) return;
  const left = Math.max(0, Math.floor(room / MEGABYTE));
  throw new ImageError('disk', `${disk} does not fit: ${left} MB are free in addition to the reserve`);
}

/** Shares the blocks if the file system can, so that a large disk takes no time and no space. */
async function copyInto(copy: string, field: 'disk' | 'kernel' | 'initrd', path: string): Promise<void> {
  try {
    const found = await stat(path);
    if (!found.isFile()) throw new ImageError(field, `${path} is not a file`);
    await copyFile(path, copy, constants.COPYFILE_FICLONE);
    await chmod(copy, 0o600);
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (error instanceof ImageError || code === 'ENOSPC') throw error;
    const reason = code === 'ENOENT' ? 'does not exist' : `cannot be read: ${message}`;
    throw new ImageError(field, `${path} ${reason}`, { cause: error });
  }
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest('hex');
}
