import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../../platform/clock.ts';
import { syncPath } from '../../../platform/durable-file.ts';
import type { Logger } from '../../../platform/logging.ts';
import { SerialQueue } from '../../../platform/serial-queue.ts';
import { CapacityError, type GuestSize } from '../../driver.ts';
import { createOverlay } from '../disk/disk.ts';
import { askAgent } from '../guest/guest-agent.ts';
import { connectMonitor, saveState, untilAgent } from '../guest/migration.ts';
import { FILES, type QemuSpec, qemuArguments } from '../process/arguments.ts';
import { run } from '../process/command.ts';
import { type Launcher, QEMU } from '../process/direct-launcher.ts';
import { findOffer } from '../process/hardware.ts';
import type { Image } from './image.ts';
import { templateSeed } from './seed.ts';

/**
 * Files of a warm template: a booted, stopped guest that clones start from, in its own directory. They never change.
 * Guests with their own user may read its disk and nothing else.
 */
export const TEMPLATE = {
  /** The backing file of clones' disks. */
  disk: FILES.disk,
  /** The guest's whole memory, which clones map privately. */
  memory: FILES.memory,
  /** Everything else of the guest: processors and devices. */
  state: 'state',
} as const;

/**
 * Size of the seeds of templates and their clones, because a clone's kernel remembers its template's. A guest with a
 * larger seed boots normally.
 */
export const WARM_SEED_BYTES = 1024 * 1024;

export interface WarmParts {
  clock: Clock;
  /**
   * Runs templates as the service's own user: a template comes from the operator's image, reaches nothing, and contains
   * nothing of a customer's.
   */
  launcher: Launcher;
  logger: Pick<Logger, 'warn'>;
  accelerator: 'kvm' | 'tcg';
  /** Directory for templates only. */
  directory: string;
  /** CPUs of the host on which templates are created. */
  cpus?: string;
}

/** Each uses as much disk space as its guest's memory. */
const MAX_TEMPLATES = 16;
const UNFINISHED = '.new-';
const UUID_FILE = 'uuid';
/** Identifies a template's image, size and creating QEMU; only an identical QEMU can continue from its state. */
const KEY_FILE = 'key';
/** Unused templates kept after a start of the service, so that there is space for newly requested ones. */
const MAX_KEPT = MAX_TEMPLATES / 2;
/** Length of a directory's name: with the whole id, socket paths would be too long. */
const NAME_CHARACTERS = 8;
/**
 * Never used on a real network: the template's card is not connected, and each clone has its own MAC address before its
 * card is.
 */
const MAC = '52:54:00:00:00:00';
/** A network without state: a clone on a tap would refuse the state saved by user networking. */
const NETDEV = 'hubport,id=net0,hubid=0';
/** As long as any guest may take to boot. */
const BOOT_MS = 300_000;
const READ_ONLY = 0o440;
/** Modes while a template is created. Its memory keeps this mode, because QEMU opens only memory that it may write to. */
const OWN = { directory: 0o700, file: 0o600 };
const READABLE_DIRECTORY = 0o750;
const SET_GID = 0o2000;

/** The warm templates of this host: one for each image and size that was requested. See docs/qemu.md. */
export class WarmTemplates {
  readonly #parts: WarmParts;
  readonly #making = new Map<string, Promise<string>>();
  readonly #ready = new Map<string, string>();
  /** Templates are created one at a time, because each boots a guest. */
  readonly #queue = new SerialQueue();
  /** Hash of QEMU's version and arguments. */
  #maker = '';
  #booting: QemuSpec | undefined;
  #hasRoom: (size: GuestSize) => Promise<boolean> = async () => true;
  #closed = false;

  constructor(parts: WarmParts) {
    this.#parts = parts;
  }

  /**
   * Finds the templates of an earlier start. New guests use those made by the same QEMU, the newest of each kind. The
   * others and unfinished ones are deleted, except for those in `inUse`, which guests' disks are based on. If `inUse`
   * is undefined, it is unknown and all are kept.
   */
  async open(inUse: Set<string> | undefined): Promise<void> {
    const { directory: root, launcher, accelerator } = this.#parts;
    await mkdir(root, { recursive: true, mode: READABLE_DIRECTORY });
    this.#maker = await makerOf(accelerator);
    const found: { directory: string; key: string; at: number }[] = [];
    for (const name of await readdir(root)) {
      const directory = join(root, name);
      if (name.startsWith(UNFINISHED)) {
        const uuid = await readFile(join(directory, UUID_FILE), 'utf8').catch(() => '');
        if (uuid) await launcher.kill({ id: name, uuid, directory });
        await rm(directory, { recursive: true });
        continue;
      }
      const key = await readFile(join(directory, KEY_FILE), 'utf8').catch(() => '');
      found.push({ directory, key, at: (await stat(directory)).mtimeMs });
    }
    let kept = 0;
    for (const { directory, key } of found.toSorted((a, b) => b.at - a.at)) {
      const used = inUse === undefined || inUse.has(directory);
      const known = key.startsWith(`${this.#maker} `) && !this.#ready.has(key);
      if (known && (used || kept++ < MAX_KEPT)) {
        this.#ready.set(key, directory);
        this.#making.set(key, Promise.resolve(directory));
      } else if (!used) await rm(directory, { recursive: true });
    }
  }

  /** From now on, templates are created only while `hasRoom` returns true for such a guest. */
  limitBy(hasRoom: (size: GuestSize) => Promise<boolean>): void {
    this.#hasRoom = hasRoom;
  }

  /** The size of the guest being turned into a template, if any: it needs memory like any guest. */
  get making(): GuestSize | undefined {
    return this.#booting && { ...this.#booting, diskGb: 0 };
  }

  /** Returns the directory of the template for such a guest. If there is none yet, starts creating one for later guests. */
  find(image: Image, size: GuestSize): string | undefined {
    if (!image.warm || this.#closed) return undefined;
    this.prepare(image, size).catch(() => {});
    return this.#ready.get(this.#keyOf(image, size));
  }

  /** Creates the template for such a guest unless it exists. Resolves with its directory. */
  prepare(image: Image, size: GuestSize): Promise<string> {
    const key = this.#keyOf(image, size);
    const known = this.#making.get(key);
    if (known) return known;
    if (this.#making.size >= MAX_TEMPLATES)
      return Promise.reject(new Error('the maximum number of warm templates is reached'));
    const made = this.#queue.run(async () => {
      if (await this.#hasRoom(size)) return this.#make(image, size);
      this.#making.delete(key);
      throw new CapacityError('there is no capacity to create it now');
    });
    // A template that fails for any other reason is not tried again before the next start.
    this.#making.set(key, made);
    made.then(
      (directory) => void this.#ready.set(key, directory),
      (error) =>
        this.#closed || this.#parts.logger.warn({ err: error, image: image.name }, 'no warm template'),
    );
    return made;
  }

  /** Stops creating templates; existing ones stay. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#booting) await this.#parts.launcher.kill(this.#booting);
    await this.#queue.idle();
  }

  async #make(image: Image, { vcpu, ramMb, diskGb }: GuestSize): Promise<string> {
    if (this.#closed) throw new Error('the driver is closed');
    const { directory: root, accelerator } = this.#parts;
    // Never reuse a name: guests may be based on it.
    const uuid = randomUUID();
    const name = uuid.slice(0, NAME_CHARACTERS);
    const directory = join(root, UNFINISHED + name);
    await mkdir(directory, { mode: OWN.directory });
    await writeFile(join(directory, UUID_FILE), uuid);
    await writeFile(join(directory, KEY_FILE), this.#keyOf(image, { vcpu, ramMb, diskGb }));
    await createOverlay(join(directory, TEMPLATE.disk), image.disk, diskGb);
    await writeFile(join(directory, FILES.seed), templateSeed());
    await truncate(join(directory, FILES.seed), WARM_SEED_BYTES);
    const offer = await findOffer(accelerator);
    await this.#boot({
      ...offer,
      ...{ id: `warm-${name}`, uuid, directory, accelerator, vcpu, ramMb, mac: MAC, netdev: NETDEV },
      directBoot: image.directBoot,
      cpus: this.#parts.cpus,
      memory: { file: join(directory, TEMPLATE.memory), shared: true },
    });
    for (const file of [TEMPLATE.disk, TEMPLATE.state]) await chmod(join(directory, file), READ_ONLY);
    await chmod(join(directory, TEMPLATE.memory), OWN.file);
    // Must be complete after a power failure, or absent: a memory with a missing page would be a broken guest.
    for (const file of [...Object.values(TEMPLATE), KEY_FILE]) await syncPath(join(directory, file));
    // Keeps the set-group-ID bit inherited from the parent directory, which makes files inherit the group.
    await chmod(directory, READABLE_DIRECTORY | ((await stat(directory)).mode & SET_GID));
    await rename(directory, join(root, name));
    await syncPath(root);
    return join(root, name);
  }

  /** Returns a key of everything that must be the same in a template and its clones. */
  #keyOf({ sha256, directBoot }: Image, { vcpu, ramMb, diskGb }: GuestSize): string {
    return `${this.#maker} ${digest([sha256, directBoot, vcpu, ramMb, diskGb])}`;
  }

  /** Boots a guest until its agent answers, and saves its state. */
  async #boot(spec: QemuSpec): Promise<void> {
    const { launcher, clock } = this.#parts;
    const { directory } = spec;
    this.#booting = spec;
    try {
      await launcher.launch(spec);
      // If closed in the meantime, `close` found no process to kill.
      if (this.#closed) throw new Error('the driver is closed');
      const monitor = await connectMonitor(clock, directory);
      await untilAgent(clock, monitor, BOOT_MS);
      await askAgent(clock, join(directory, FILES.agent), 'guest-ping');
      await saveState(clock, monitor, directory, join(directory, TEMPLATE.state));
      await monitor.execute('quit').catch(() => {});
      monitor.close();
    } finally {
      await launcher.kill(spec);
      this.#booting = undefined;
    }
  }
}

/** Returns a hash that differs for different QEMU versions or arguments. */
async function makerOf(accelerator: QemuSpec['accelerator']): Promise<string> {
  const sample = {
    ...(await findOffer(accelerator)),
    ...{ id: 'x', uuid: 'x', directory: '/x', accelerator, vcpu: 1, ramMb: 1 },
    mac: MAC,
    netdev: NETDEV,
  };
  return digest([
    await run(QEMU, '--version'),
    qemuArguments({ ...sample, memory: { file: '/x', shared: true } }),
  ]);
}

function digest(facts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(facts)).digest('hex');
}
