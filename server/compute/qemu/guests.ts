import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { encrypt } from 'unixcrypt';
import type { GuestSpec } from '../driver.ts';
import { checkDirectory, FILES } from './arguments.ts';
import { asCapacity, createOverlay, GIGABYTE, SHARED_FILE_MODE } from './disk.ts';
import { Guest, type GuestRecord } from './guest.ts';
import type { Image } from './image.ts';
import { seedImage } from './seed.ts';
import { TEMPLATE, WARM_SEED_BYTES, type WarmTemplates } from './warm.ts';

/** Where images come from: what a template of the catalog calls them. */
export interface Images {
  find(name: string): Promise<Image | undefined>;
  list(): Promise<Image[]>;
}

/** What may be a directory's name; an id of anything else is nobody's. */
const ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** A guest in the making or being removed: nobody sees it, and a start of the service clears it away. */
const UNFINISHED = /^\.(new|gone)-/;
/**
 * The group is who runs QEMU, where that is not the service: it makes its sockets there, and by the sticky bit takes
 * nothing of the service's away.
 */
const GUEST_DIRECTORY_MODE = 0o1770;
const SHA512_CRYPT = '$6$';

/**
 * The directories of guests, one each. A directory with a guest's name is always whole: it is made under another name
 * and moved into place, and moved away before it is taken apart.
 */
export class Guests {
  readonly #root: string;
  readonly #images: Images;
  readonly #nameservers: readonly string[];
  readonly #warm: WarmTemplates | undefined;
  readonly #guests = new Map<string, Guest>();

  constructor(root: string, images: Images, nameservers: readonly string[], warm?: WarmTemplates) {
    this.#root = root;
    this.#images = images;
    this.#nameservers = nameservers;
    this.#warm = warm;
  }

  /**
   * Reads what is there, and clears away what never became a guest or no longer is one. What cannot be cleared away
   * is complained of and left: it must not keep the other guests from their service.
   */
  async open(complain: (directory: string, error: unknown) => void): Promise<void> {
    await mkdir(this.#root, { recursive: true, mode: 0o770 });
    for (const name of await readdir(this.#root)) {
      const directory = join(this.#root, name);
      if (UNFINISHED.test(name))
        await rm(directory, { recursive: true, force: true }).catch((error) => complain(directory, error));
      else if (ID.test(name)) this.#guests.set(name, await Guest.read(directory));
    }
    await this.#warm?.open(new Set(this.all().flatMap(({ record }) => record.clone?.of ?? [])));
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

  async create(spec: GuestSpec): Promise<void> {
    const { id, diskGb } = spec;
    if (this.#guests.has(id)) return;
    if (!ID.test(id)) throw new Error(`${id} cannot be the name of a guest`);
    const image = await this.#images.find(spec.template);
    if (!image) throw new Error(`this host has no image for the template ${spec.template}`);
    if (diskGb * GIGABYTE < image.virtualBytes)
      throw new Error(`the image of ${spec.template} does not fit into ${diskGb} GB`);
    const directory = join(this.#root, id);
    checkDirectory(directory);
    const making = join(this.#root, `.new-${id}`);
    await rm(making, { recursive: true, force: true });
    try {
      await mkdir(making, { mode: GUEST_DIRECTORY_MODE });
      const seed = this.#seed(spec, image);
      const template = seed.length <= WARM_SEED_BYTES ? this.#warm?.find(image, spec) : undefined;
      const base = template ? join(template, TEMPLATE.disk) : image.disk;
      await createOverlay(join(making, FILES.disk), base, diskGb);
      await writeFile(join(making, FILES.seed), seed, { mode: SHARED_FILE_MODE });
      if (template) await truncate(join(making, FILES.seed), WARM_SEED_BYTES);
      await new Guest(making, newRecord(spec, image, template)).save();
      await rename(making, directory);
    } catch (error) {
      // What is left of it would take the little room there is.
      await rm(making, { recursive: true, force: true });
      throw asCapacity(error);
    }
    this.#guests.set(id, await Guest.read(directory));
  }

  /** Takes a guest that is off away with everything of it. */
  async remove(guest: Guest): Promise<void> {
    const { id, directory } = guest;
    await guest.retire();
    const gone = join(this.#root, `.gone-${id}`);
    await rm(gone, { recursive: true, force: true });
    await rename(directory, gone);
    this.#guests.delete(id);
    await rm(gone, { recursive: true, force: true });
  }

  #seed({ password, ...spec }: GuestSpec, { user }: Image): Buffer {
    return seedImage({
      ...spec,
      user,
      nameservers: this.#nameservers,
      // The password in clear goes no further than this.
      passwordHash: password === undefined ? undefined : encrypt(password, SHA512_CRYPT),
    });
  }
}

function newRecord(spec: GuestSpec, { user, directBoot, disk }: Image, of?: string): GuestRecord {
  const { id, hostname, template, mac, addresses, vcpu, ramMb, diskGb } = spec;
  return {
    id,
    uuid: randomUUID(),
    hostname,
    template,
    user,
    mac,
    addresses,
    vcpu,
    ramMb,
    diskGb,
    directBoot,
    clone: of === undefined ? undefined : { of, image: disk, asleep: true },
    snapshots: {},
    policy: null,
    run: null,
    happenings: [],
  };
}
