import { mkdir, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../../../platform/durable-file.ts';
import type { Logger } from '../../../platform/logging.ts';
import { sha512Crypt } from '../../../platform/sha512-crypt.ts';
import { ComputeUnavailableError, type GuestSpec, TemplateUnavailableError } from '../../driver.ts';
import { asCapacity, GIGABYTE } from '../disk/disk.ts';
import { Pool } from '../disk/pool.ts';
import type { Image } from '../images/image.ts';
import type { ImageStore } from '../images/image-store.ts';
import { seedImage } from '../images/seed.ts';
import { TEMPLATE, WARM_SEED_BYTES, type WarmTemplates } from '../images/warm.ts';
import type { QemuOptions } from '../options.ts';
import { placeOf } from '../place.ts';
import { checkDirectory, FILES } from '../process/arguments.ts';
import { earlierHardware, findOffer } from '../process/hardware.ts';
import { GUEST_ID, Guest, type GuestRecord } from './guest.ts';
import { furnish, newRecord } from './new-guest.ts';
import { type GuestUser, Ownership, shareDirectory } from './ownership.ts';
import { settleRebuild } from './rebuild.ts';

/** The part of the image store that looks up the images named by the catalog's templates. */
export type Images = Pick<ImageStore, 'find' | 'list' | 'unreadable'>;

type GuestsOptions = Pick<
  QemuOptions,
  'directory' | 'images' | 'nameservers' | 'warm' | 'users' | 'accelerator' | 'reserve'
>;

/** A guest that is being created or removed. It is not listed, and the next start of the service deletes it. */
const UNFINISHED = /^\.(new|gone)-/;
/**
 * The group is that of QEMU's user if that is not the service. QEMU creates its sockets there, and the sticky bit stops
 * it from removing files of the service.
 */
const GUEST_DIRECTORY_MODE = 0o1770;

/**
 * The guests' directories. A directory with a guest's name is always complete: it is created under another name and
 * renamed, and renamed again before it is deleted.
 */
export class Guests {
  readonly pool: Pool;
  readonly #root: string;
  readonly #images: Images;
  readonly #nameservers: readonly string[];
  readonly #warm: WarmTemplates | undefined;
  readonly #ownership: Ownership;
  readonly #accelerator: QemuOptions['accelerator'];
  readonly #guests = new Map<string, Guest>();
  readonly #setAside = new Set<string>();

  constructor({ directory, images, nameservers, warm, users, accelerator, reserve }: GuestsOptions) {
    this.pool = new Pool({ directory, reserve });
    this.#accelerator = accelerator;
    this.#root = directory;
    this.#images = images;
    this.#nameservers = nameservers;
    this.#warm = warm;
    this.#ownership = new Ownership(users);
  }

  /**
   * Reads the existing guests and deletes remnants of unfinished or removed ones. Guests that cannot be read are set
   * aside and remnants that cannot be deleted stay, with a warning in the log: neither must stop the other guests'
   * service.
   */
  async open(logger: Pick<Logger, 'warn'>): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o770 });
    for (const name of await readdir(this.#root)) {
      const directory = join(this.#root, name);
      if (UNFINISHED.test(name))
        await rm(directory, { recursive: true, force: true }).catch((err) =>
          logger.warn({ err, directory }, 'leftover of a guest not removed'),
        );
      else if (GUEST_ID.test(name))
        await this.#read(name).catch((err) => logger.warn({ err, vm_id: name }, 'guest set aside'));
    }
    // It is unknown which template the disk of a set-aside guest is based on.
    const inUse = new Set(
      this.all().flatMap(({ record: { clone, rebuilt } }) =>
        [clone, rebuilt?.from?.clone].flatMap((of) => of?.of ?? []),
      ),
    );
    await this.#warm?.open(this.#setAside.size === 0 ? inUse : undefined);
  }

  /** Ids of existing guests whose record cannot be read. */
  get setAside(): ReadonlySet<string> {
    return this.#setAside;
  }

  /**
   * Reads a guest that was set aside again. Returns it if its record has been repaired; undefined if it is gone or was
   * never set aside. Throws {@link ComputeUnavailableError} while it cannot be read.
   */
  async readAgain(id: string): Promise<Guest | undefined> {
    if (!this.#setAside.has(id)) return undefined;
    try {
      return await this.#read(id);
    } catch (error) {
      const gone = await stat(join(this.#root, id)).then(
        () => false,
        ({ code }) => code === 'ENOENT',
      );
      if (!gone)
        throw new ComputeUnavailableError(`${id} is set aside: ${(error as Error).message}`, {
          cause: error,
        });
      this.#setAside.delete(id);
      return undefined;
    }
  }

  async #read(id: string): Promise<Guest> {
    this.#setAside.add(id);
    const guest = await Guest.read(join(this.#root, id));
    await settleRebuild(guest);
    await this.#keepHardware(guest);
    this.#setAside.delete(id);
    this.#guests.set(id, guest);
    return guest;
  }

  /** Records the hardware of a guest from an earlier version, before a different QEMU would give it other hardware. */
  async #keepHardware(guest: Guest): Promise<void> {
    if (guest.record.hardware) return;
    const hardware = earlierHardware(await findOffer(this.#accelerator), this.#accelerator);
    // If the disk is full, it is kept in memory and written with the next change.
    await guest.save({ hardware }).catch(() => {});
  }

  place(): Promise<string> {
    return placeOf(this.#root);
  }

  all(): Guest[] {
    return [...this.#guests.values()];
  }

  find(id: string): Guest | undefined {
    return this.#guests.get(id);
  }

  /** Returns the guest with this id. Throws if there is none. */
  need(id: string): Guest {
    const guest = this.#guests.get(id);
    if (!guest) throw new Error(`this host has no guest ${id}`);
    return guest;
  }

  /** Creates the guest unless it exists. `by` is the id of the rebuild that creates it, if any. */
  async create(spec: GuestSpec, by?: string): Promise<void> {
    const { id } = spec;
    if (this.#guests.has(id)) return;
    await this.pool.requireRoom();
    if (!GUEST_ID.test(id)) throw new Error(`${id} is not a valid name of a guest`);
    const image = await this.#imageFor(spec);
    checkDirectory(join(this.#root, id));
    await this.#ownership.withUser(
      () => this.all(),
      this.#setAsideDirectories,
      (user) => this.#make(spec, image, user, by),
    );
  }

  /** Gives a guest of an earlier version, which must be off, its own user if guests have them. */
  adopt(guest: Guest): Promise<void> {
    return this.#ownership.adopt(guest, () => this.all(), this.#setAsideDirectories);
  }

  get #setAsideDirectories(): string[] {
    return [...this.#setAside].map((id) => join(this.#root, id));
  }

  async #make(spec: GuestSpec, image: Image, user: GuestUser | undefined, by?: string): Promise<void> {
    const { id } = spec;
    const directory = join(this.#root, id);
    const making = join(this.#root, `.new-${id}`);
    await rm(making, { recursive: true, force: true });
    try {
      await mkdir(making, { mode: GUEST_DIRECTORY_MODE });
      if (user) await shareDirectory(making, user);
      const { hardware } = await findOffer(this.#accelerator);
      const seed = await this.#seed(spec, image);
      const template = seed.length <= WARM_SEED_BYTES ? this.#warm?.find(image, spec) : undefined;
      const base = template ? join(template, TEMPLATE.disk) : image.disk;
      const files = { disk: join(making, FILES.disk), seed: join(making, FILES.seed) };
      await furnish(files, base, spec.diskGb, seed);
      if (template) await truncate(files.seed, WARM_SEED_BYTES);
      const rebuilt = by === undefined ? undefined : { by, from: null };
      const record = { ...newRecord(spec, image, template), uid: user?.uid, hardware, rebuilt };
      await new Guest(making, record).save();
      await rename(making, directory);
      await syncPath(this.#root);
    } catch (error) {
      // The remnants would use up the little space that is left.
      await rm(making, { recursive: true, force: true });
      throw asCapacity(error);
    }
    await this.#read(id);
  }

  /** Creates the files of a new guest with this spec. Returns its record. */
  async makeFiles(spec: GuestSpec, files: { disk: string; seed: string }): Promise<GuestRecord> {
    const image = await this.#imageFor(spec);
    await this.pool.requireRoom();
    await furnish(files, image.disk, spec.diskGb, await this.#seed(spec, image));
    return newRecord(spec, image);
  }

  /** Removes a guest that is off, with all its data. */
  async remove(guest: Guest): Promise<void> {
    const { id, directory } = guest;
    await guest.retire();
    const gone = join(this.#root, `.gone-${id}`);
    await rm(gone, { recursive: true, force: true });
    await rename(directory, gone);
    this.#guests.delete(id);
    // A guest reported as gone must not reappear after a power failure.
    await syncPath(this.#root);
    await rm(gone, { recursive: true, force: true });
  }

  async #imageFor({ template, diskGb }: GuestSpec): Promise<Image> {
    const image = await this.#images.find(template);
    if (!image) throw new TemplateUnavailableError(`this host has no image for the template ${template}`);
    if (diskGb * GIGABYTE < image.virtualBytes)
      throw new Error(`the image of ${template} does not fit on a disk of ${diskGb} GB`);
    return image;
  }

  async #seed({ password, ...spec }: GuestSpec, { user }: Image): Promise<Buffer> {
    return seedImage({
      ...spec,
      user,
      nameservers: this.#nameservers,
      // The plain-text password goes no further than this.
      passwordHash: password === undefined ? undefined : await sha512Crypt(password),
    });
  }
}
