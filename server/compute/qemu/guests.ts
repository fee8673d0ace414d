import { mkdir, readdir, rename, rm, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { syncPath } from '../../platform/durable-file.ts';
import type { Logger } from '../../platform/logging.ts';
import { sha512Crypt } from '../../platform/sha512-crypt.ts';
import { ComputeUnavailableError, type GuestSpec, TemplateUnavailableError } from '../driver.ts';
import { checkDirectory, FILES } from './arguments.ts';
import { asCapacity, GIGABYTE } from './disk.ts';
import { GUEST_ID, Guest, type GuestRecord } from './guest.ts';
import { earlierHardware, findOffer } from './hardware.ts';
import type { Image } from './image.ts';
import type { ImageStore } from './image-store.ts';
import { furnish, newRecord } from './new-guest.ts';
import type { QemuOptions } from './options.ts';
import { type GuestUser, Ownership, shareDirectory } from './ownership.ts';
import { placeOf } from './place.ts';
import { Pool } from './pool.ts';
import { settleRebuild } from './rebuild.ts';
import { seedImage } from './seed.ts';
import { TEMPLATE, WARM_SEED_BYTES, type WarmTemplates } from './warm.ts';

/** Where images come from: what a template of the catalog calls them. */
export type Images = Pick<ImageStore, 'find' | 'list' | 'unreadable'>;

type GuestsOptions = Pick<
  QemuOptions,
  'directory' | 'images' | 'nameservers' | 'warm' | 'users' | 'accelerator' | 'reserve'
>;

/** A guest in the making or being removed: it is not listed, and a start of the service clears it away. */
const UNFINISHED = /^\.(new|gone)-/;
/**
 * The group is who runs QEMU, where that is not the service: it makes its sockets there, and by the sticky bit takes
 * nothing of the service's away.
 */
const GUEST_DIRECTORY_MODE = 0o1770;

/**
 * The directories of guests, one each. A directory with a guest's name is always whole: it is made under another name
 * and moved into place, and moved away before it is taken apart.
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
   * Reads what is there, and clears away what never became a guest or no longer is one. What cannot be read is set
   * aside, what cannot be cleared away is left, and the log names both: neither must keep the other guests from their
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
    // What the disk of one that was set aside stands on is not known.
    const inUse = new Set(
      this.all().flatMap(({ record: { clone, rebuilt } }) =>
        [clone, rebuilt?.from?.clone].flatMap((of) => of?.of ?? []),
      ),
    );
    await this.#warm?.open(this.#setAside.size === 0 ? inUse : undefined);
  }

  /** Ids of guests that are there, and whose record cannot be read. */
  get setAside(): ReadonlySet<string> {
    return this.#setAside;
  }

  /**
   * Reads a guest that was set aside again: the guest if its record was mended, undefined if it is gone, or was never
   * set aside. {@link ComputeUnavailableError} while it cannot be read.
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

  /** Writes down what a guest of an earlier version runs with, before another QEMU would give it something else. */
  async #keepHardware(guest: Guest): Promise<void> {
    if (guest.record.hardware) return;
    const hardware = earlierHardware(await findOffer(this.#accelerator), this.#accelerator);
    // On a full disk it is remembered all the same, and written with what is written next.
    await guest.save({ hardware }).catch(() => {});
  }

  /** The id of the directory that the guests are in. */
  place(): Promise<string> {
    return placeOf(this.#root);
  }

  all(): Guest[] {
    return [...this.#guests.values()];
  }

  find(id: string): Guest | undefined {
    return this.#guests.get(id);
  }

  /** The guest of this id; throws when there is none. */
  need(id: string): Guest {
    const guest = this.#guests.get(id);
    if (!guest) throw new Error(`this host has no guest ${id}`);
    return guest;
  }

  /** Makes the guest unless there is one of its id. `by` is the rebuild that makes it, if one does. */
  async create(spec: GuestSpec, by?: string): Promise<void> {
    const { id } = spec;
    if (this.#guests.has(id)) return;
    await this.pool.requireRoom();
    if (!GUEST_ID.test(id)) throw new Error(`${id} cannot be the name of a guest`);
    const image = await this.#imageFor(spec);
    checkDirectory(join(this.#root, id));
    await this.#ownership.withUser(
      () => this.all(),
      this.#setAsideDirectories,
      (user) => this.#make(spec, image, user, by),
    );
  }

  /** Gives a guest that is off, and of an earlier version, a user of its own, where guests have such. */
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
      // What is left of it would take the little room there is.
      await rm(making, { recursive: true, force: true });
      throw asCapacity(error);
    }
    await this.#read(id);
  }

  /** Makes the files that a guest of this spec begins with, and says what is to be remembered of it. */
  async makeFiles(spec: GuestSpec, files: { disk: string; seed: string }): Promise<GuestRecord> {
    const image = await this.#imageFor(spec);
    await this.pool.requireRoom();
    await furnish(files, image.disk, spec.diskGb, await this.#seed(spec, image));
    return newRecord(spec, image);
  }

  /** Takes a guest that is off away with everything of it. */
  async remove(guest: Guest): Promise<void> {
    const { id, directory } = guest;
    await guest.retire();
    const gone = join(this.#root, `.gone-${id}`);
    await rm(gone, { recursive: true, force: true });
    await rename(directory, gone);
    this.#guests.delete(id);
    // What was reported gone must not be back after a power failure.
    await syncPath(this.#root);
    await rm(gone, { recursive: true, force: true });
  }

  async #imageFor({ template, diskGb }: GuestSpec): Promise<Image> {
    const image = await this.#images.find(template);
    if (!image) throw new TemplateUnavailableError(`this host has no image for the template ${template}`);
    if (diskGb * GIGABYTE < image.virtualBytes)
      throw new Error(`the image of ${template} does not fit into ${diskGb} GB`);
    return image;
  }

  async #seed({ password, ...spec }: GuestSpec, { user }: Image): Promise<Buffer> {
    return seedImage({
      ...spec,
      user,
      nameservers: this.#nameservers,
      // The password in clear goes no further than this.
      passwordHash: password === undefined ? undefined : await sha512Crypt(password),
    });
  }
}
