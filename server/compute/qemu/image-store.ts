import { createHash, randomUUID } from 'node:crypto';
import { constants, createReadStream } from 'node:fs';
import {
  chmod,
  copyFile,
  link,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { convertRaw, DiskFileError, diskFormat, virtualSize } from './disk-file.ts';
import type { DirectBoot, Image } from './image.ts';

/** What becomes an image: files anywhere on this machine. They are copied. */
export interface ImageSource {
  /** The code of the catalog's template, or what that names as its image. */
  name: string;
  /** A qcow2 or raw disk that boots by BIOS. */
  disk: string;
  /** Who logs in first. */
  user: string;
  /** Of `disk` as it was published, in hexadecimal; checked where given. */
  sha256?: string;
  directBoot?: DirectBoot;
  warm?: true;
}

/** What is wrong with an {@link ImageSource}: the message is a sentence that follows the name of `field`. */
export class ImageError extends Error {
  override name = 'ImageError';
  readonly field: 'name' | 'disk' | 'user' | 'sha256' | 'kernel' | 'initrd' | 'append';

  constructor(field: ImageError['field'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.field = field;
  }
}

/**
 * The images of this machine. Files are kept by the hash of their content and never change; a small file a name says
 * which belong together. So importing a name anew leaves the disks alone that guests stand on, and two processes may
 * import at once.
 */
export interface ImageStore {
  /** Checks and copies; {@link ImageError} names what is wrong, and nothing has changed. Again is a success. */
  import(source: ImageSource): Promise<Image>;
  /** By name. */
  list(): Promise<Image[]>;
  find(name: string): Promise<Image | undefined>;
}

/** As the catalog writes codes: it can be no path. */
const NAME = /^[a-z0-9][a-z0-9.-]{0,62}$/;
const USER = /^[a-z_][a-z0-9_-]{0,31}$/;
const SHA256 = /^[0-9a-f]{64}$/;
/** What a kernel reads of its command line. */
const APPEND = /^[ -~]{0,1024}$/;
const READ_ONLY = 0o444;
/** Endings of the small file a name, and of files that are not finished. */
const RECORD = '.json';
const UNFINISHED = '.unfinished';

/** As stored: files by their hash. */
interface ImageRecord extends Omit<Image, 'name' | 'disk'> {
  directBoot?: DirectBoot;
}

/** The store in `directory`, which is made by the first import. */
export function createImageStore(directory: string): ImageStore {
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

  async function list(): Promise<Image[]> {
    const entries = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw error;
    });
    const names = entries
      .filter((entry) => entry.endsWith(RECORD))
      .map((entry) => entry.slice(0, -RECORD.length));
    const images = await Promise.all(names.sort().map(find));
    return images.filter((image) => image !== undefined);
  }

  async function importImage(source: ImageSource): Promise<Image> {
    refuseFields(source);
    await mkdir(files, { recursive: true });
    const intake = new Intake(files);
    try {
      const disk = await keepDisk(intake, source);
      const directBoot = await keepBoot(intake, source);
      const record: ImageRecord = {
        ...disk,
        user: source.user,
        ...(directBoot && { directBoot }),
        ...(source.warm && { warm: true }),
      };
      const draft = intake.draft();
      await writeFile(draft, `${JSON.stringify(record, null, 2)}\n`);
      await persist(draft);
      await rename(draft, join(directory, source.name + RECORD));
      return present(source.name, record, files);
    } finally {
      await intake.clear();
    }
  }

  return { import: importImage, list, find };
}

function present(name: string, { directBoot, ...record }: ImageRecord, files: string): Image {
  const boot = directBoot && {
    kernel: join(files, directBoot.kernel),
    initrd: join(files, directBoot.initrd),
    append: directBoot.append,
  };
  return { name, ...record, disk: join(files, record.sha256), ...(boot && { directBoot: boot }) };
}

/** The files of one import: drafts, of which those are kept that prove right. */
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

  /** Takes a draft in; where its content is there already, that stays, for guests may stand on it. */
  async keep(draft: string, hash: string): Promise<string> {
    await chmod(draft, READ_ONLY);
    await persist(draft);
    await link(draft, join(this.#directory, hash)).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
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
    throw new ImageError('sha256', `does not fit: the disk's is ${found}`);
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

function refuseFields({ name, user, sha256, directBoot }: ImageSource): void {
  if (!NAME.test(name)) throw new ImageError('name', 'must be lower-case letters, digits, "-" and "."');
  if (!USER.test(user)) throw new ImageError('user', 'must be the name of a Unix user');
  if (sha256 !== undefined && !SHA256.test(sha256))
    throw new ImageError('sha256', 'must be 64 hexadecimal digits in lower case');
  if (directBoot && !APPEND.test(directBoot.append))
    throw new ImageError('append', 'must be at most 1024 printable ASCII characters');
}

/** Shares the blocks where the file system can: then a large disk takes no time and no room. */
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

/** Puts a file on the disk, so that a name never leads to one that a power failure left empty. */
async function persist(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    await file.sync();
  } finally {
    await file.close();
  }
}
