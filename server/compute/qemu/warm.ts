import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import { syncPath } from '../../platform/durable-file.ts';
import type { Logger } from '../../platform/logging.ts';
import { CapacityError, type GuestSize } from '../driver.ts';
import { FILES, type QemuSpec, qemuArguments } from './arguments.ts';
import { run } from './command.ts';
import { type Launcher, QEMU } from './direct-launcher.ts';
import { createOverlay } from './disk.ts';
import { askAgent } from './guest-agent.ts';
import { findOffer } from './hardware.ts';
import type { Image } from './image.ts';
import { connectMonitor, saveState, untilAgent } from './migration.ts';
import { templateSeed } from './seed.ts';

/**
 * What clones begin with, in a directory of its own: a guest that has booted and stands still. Nothing of it changes: the
 * guests that have users of their own may read its disk, and open nothing else.
 */
export const TEMPLATE = {
  /** Clones have overlays of it. */
  disk: FILES.disk,
  /** What the memory holds, of the guest's whole size; clones map it for themselves. */
  memory: FILES.memory,
  /** Everything else of the guest: processors and devices. */
  state: 'state',
} as const;

/** Of every seed, as a clone's kernel knows it from its template's. One that is larger is a guest's that boots. */
export const WARM_SEED_BYTES = 1024 * 1024;

export interface WarmParts {
  clock: Clock;
  /** Of the service itself: a template is of the operator's image, reaches nothing, and holds nothing of a customer's. */
  launcher: Launcher;
  logger: Pick<Logger, 'warn'>;
  accelerator: 'kvm' | 'tcg';
  /** Of the templates; what is in it belongs to them alone. */
  directory: string;
  /** Of the host, on which they are made. */
  cpus?: string;
}

/** Each takes the memory of a guest on the disk. */
const MAX_TEMPLATES = 16;
const UNFINISHED = '.new-';
const UUID_FILE = 'uuid';
/** What a template is of, and by what it was made: only another of that goes on from its state. */
const KEY_FILE = 'key';
/** Of templates that no guest stands on, after a start of the service: places are left for those that are asked for. */
const MAX_KEPT = MAX_TEMPLATES / 2;
/** In a directory's name: the whole would leave too little for the paths of sockets. */
const NAME_CHARACTERS = 8;
/** It is not reachable: its network leads nowhere, and each clone gets its own before it has one. */
const MAC = '52:54:00:00:00:00';
/** One that has no state: what user networking saves is refused by a clone on a tap. */
const NETDEV = 'hubport,id=net0,hubid=0';
/** As long as any guest may take for its boot. */
const BOOT_MS = 300_000;
const READ_ONLY = 0o440;
/** While it is made, and its memory always: QEMU opens no memory that it may not write to. */
const OWN = { directory: 0o700, file: 0o600 };
const READABLE_DIRECTORY = 0o750;
const SET_GID = 0o2000;

/** The warm templates of this host: one for each image and size that was asked for. See docs/qemu.md. */
export class WarmTemplates {
  readonly #parts: WarmParts;
  readonly #making = new Map<string, Promise<string>>();
  readonly #ready = new Map<string, string>();
  /** One is made at a time: each boots a guest. */
  #last: Promise<unknown> = Promise.resolve();
  /** QEMU's version, and how it is called. */
  #maker = '';
  #booting: QemuSpec | undefined;
  #hasRoom: (size: GuestSize) => Promise<boolean> = async () => true;
  #closed = false;

  constructor(parts: WarmParts) {
    this.#parts = parts;
  }

  /**
   * Finds the templates of an earlier start; new guests go on from those that the same QEMU made, the newest of them.
   * Clears away the others, and what was not finished. Those of `inUse`, which the disks of guests stand on, stay for
   * that; where that is not known all stay.
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

  /** From now on templates are made only while this says that there is room for such a guest. */
  limitBy(hasRoom: (size: GuestSize) => Promise<boolean>): void {
    this.#hasRoom = hasRoom;
  }

  /** The guest that is being made a template of, if any: it takes memory as a guest does. */
  get making(): GuestSize | undefined {
    return this.#booting && { ...this.#booting, diskGb: 0 };
  }

  /** The directory of the template for such a guest; where there is none yet, one is made for those to come. */
  find(image: Image, size: GuestSize): string | undefined {
    if (!image.warm || this.#closed) return undefined;
    this.prepare(image, size).catch(() => {});
    return this.#ready.get(this.#keyOf(image, size));
  }

  /** Makes the template for such a guest, unless it was made, and resolves with its directory. */
  prepare(image: Image, size: GuestSize): Promise<string> {
    const key = this.#keyOf(image, size);
    const known = this.#making.get(key);
    if (known) return known;
    if (this.#making.size >= MAX_TEMPLATES) return Promise.reject(new Error('there are templates enough'));
    const made = this.#last.then(async () => {
      if (await this.#hasRoom(size)) return this.#make(image, size);
      this.#making.delete(key);
      throw new CapacityError('there is no room to make it now');
    });
    // One that cannot be made for another reason is not tried again before the next start.
    this.#making.set(key, made);
    this.#last = made.then(
      (directory) => void this.#ready.set(key, directory),
      (error) =>
        this.#closed || this.#parts.logger.warn({ err: error, image: image.name }, 'no warm template'),
    );
    return made;
  }

  /** Stops making; templates stay. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#booting) await this.#parts.launcher.kill(this.#booting);
    await this.#last;
  }

  async #make(image: Image, { vcpu, ramMb, diskGb }: GuestSize): Promise<string> {
    if (this.#closed) throw new Error('the driver is closed');
    const { directory: root, accelerator } = this.#parts;
    // Never a name that was used before: guests may stand on that.
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
    // Whole after a power failure as well, or not there: a memory that lacks a page would be a broken guest.
    for (const file of [...Object.values(TEMPLATE), KEY_FILE]) await syncPath(join(directory, file));
    // The bit by which files inherit its group stays as the directory above has it.
    await chmod(directory, READABLE_DIRECTORY | ((await stat(directory)).mode & SET_GID));
    await rename(directory, join(root, name));
    await syncPath(root);
    return join(root, name);
  }

  /** Everything that is the same in a template and its clones. */
  #keyOf({ sha256, directBoot }: Image, { vcpu, ramMb, diskGb }: GuestSize): string {
    return `${this.#maker} ${digest([sha256, directBoot, vcpu, ramMb, diskGb])}`;
  }

  /** Boots a guest until its agent answers, and saves it. */
  async #boot(spec: QemuSpec): Promise<void> {
    const { launcher, clock } = this.#parts;
    const { directory } = spec;
    this.#booting = spec;
    try {
      await launcher.launch(spec);
      // What was closed meanwhile found no process to end.
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

/** Tells one QEMU, and one way to call it, from another. */
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
