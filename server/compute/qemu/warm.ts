import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { GuestSize } from '../driver.ts';
import { FILES, type Machine } from './arguments.ts';
import { createOverlay } from './disk.ts';
import { askAgent } from './guest-agent.ts';
import type { Image } from './image.ts';
import type { Launcher } from './launcher.ts';
import { connectMonitor, saveState, untilAgent } from './machine-state.ts';
import { templateSeed } from './seed.ts';

/** What clones begin with, in a directory of its own: a guest that has booted and stands still. Nothing of it changes. */
export const TEMPLATE = {
  /** Clones have overlays of it. */
  disk: FILES.disk,
  /** What the memory holds, of the guest's whole size; clones map it for themselves. */
  memory: 'memory',
  /** Everything else of the machine: processors and devices. */
  state: 'state',
} as const;

/** Of every seed, as a clone's kernel knows it from its template's. One that is larger is a guest's that boots. */
export const WARM_SEED_BYTES = 1024 * 1024;

export interface WarmParts {
  clock: Clock;
  launcher: Launcher;
  logger: Pick<Logger, 'warn'>;
  accelerator: 'kvm' | 'tcg';
  /** Of the templates; what is in it belongs to them alone. */
  directory: string;
}

/** Each takes the memory of a guest on the disk. */
const MAX_TEMPLATES = 16;
const UNFINISHED = '.new-';
const UUID_FILE = 'uuid';
/** In a directory's name: the whole would leave too little for the paths of sockets. */
const NAME_CHARACTERS = 8;
/** Nobody hears of it: its network leads nowhere, and each clone gets its own before it has one. */
const MAC = '52:54:00:00:00:00';
/** One that has no state: what user networking saves is refused by a clone on a tap. */
const NETDEV = 'hubport,id=net0,hubid=0';
/** As long as any guest may take for its boot. */
const BOOT_MS = 300_000;
const READ_ONLY = 0o440;

/** The warm templates of this host: one for each image and size that was asked for. See docs/qemu.md. */
export class WarmTemplates {
  readonly #parts: WarmParts;
  readonly #making = new Map<string, Promise<string>>();
  readonly #ready = new Map<string, string>();
  /** One is made at a time: each boots a guest. */
  #last: Promise<unknown> = Promise.resolve();
  #booting: Machine | undefined;
  #closed = false;

  constructor(parts: WarmParts) {
    this.#parts = parts;
  }

  /**
   * Clears away what was not finished, and templates of an earlier start, which may have been of another QEMU. Those of
   * `inUse`, which the disks of guests stand on, stay for that.
   */
  async open(inUse: Set<string>): Promise<void> {
    const { directory: root, launcher } = this.#parts;
    await mkdir(root, { recursive: true, mode: 0o770 });
    for (const name of await readdir(root)) {
      const directory = join(root, name);
      if (inUse.has(directory)) continue;
      if (name.startsWith(UNFINISHED)) {
        const uuid = await readFile(join(directory, UUID_FILE), 'utf8').catch(() => '');
        if (uuid) await launcher.kill({ id: name, uuid, directory });
      }
      await rm(directory, { recursive: true });
    }
  }

  /** The directory of the template for such a guest; where there is none yet, one is made for those to come. */
  find(image: Image, size: GuestSize): string | undefined {
    if (!image.warm || this.#closed) return undefined;
    this.prepare(image, size).catch(() => {});
    return this.#ready.get(keyOf(image, size));
  }

  /** Makes the template for such a guest, unless it was made, and resolves with its directory. */
  prepare(image: Image, size: GuestSize): Promise<string> {
    const key = keyOf(image, size);
    const known = this.#making.get(key);
    if (known) return known;
    if (this.#making.size >= MAX_TEMPLATES) return Promise.reject(new Error('there are templates enough'));
    const made = this.#last.then(() => this.#make(image, size));
    // One that cannot be made is not tried again before the next start.
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
    await mkdir(directory, { mode: 0o770 });
    await writeFile(join(directory, UUID_FILE), uuid);
    await createOverlay(join(directory, TEMPLATE.disk), image.disk, diskGb);
    await writeFile(join(directory, FILES.seed), templateSeed());
    await truncate(join(directory, FILES.seed), WARM_SEED_BYTES);
    await this.#boot({
      ...{ id: `warm-${name}`, uuid, directory, accelerator, vcpu, ramMb, mac: MAC, netdev: NETDEV },
      directBoot: image.directBoot,
      memory: { file: join(directory, TEMPLATE.memory), shared: true },
    });
    // The memory's file is not written to either, but QEMU opens no other to map.
    for (const file of [TEMPLATE.disk, TEMPLATE.state]) await chmod(join(directory, file), READ_ONLY);
    await rename(directory, join(root, name));
    return join(root, name);
  }

  /** Boots a machine until its agent answers, and saves it. */
  async #boot(machine: Machine): Promise<void> {
    const { launcher, clock } = this.#parts;
    const { directory } = machine;
    this.#booting = machine;
    try {
      await launcher.launch(machine);
      // What was closed meanwhile found no process to end.
      if (this.#closed) throw new Error('the driver is closed');
      const monitor = await connectMonitor(clock, directory);
      await untilAgent(clock, monitor, BOOT_MS);
      await askAgent(clock, join(directory, FILES.agent), 'guest-ping');
      await saveState(clock, monitor, directory, join(directory, TEMPLATE.state));
      await monitor.execute('quit').catch(() => {});
      monitor.close();
    } finally {
      await launcher.kill(machine);
      this.#booting = undefined;
    }
  }
}

/** Everything that is the same in a template and its clones. */
function keyOf({ sha256, directBoot }: Image, { vcpu, ramMb, diskGb }: GuestSize): string {
  const facts = JSON.stringify([sha256, directBoot, vcpu, ramMb, diskGb]);
  return createHash('sha256').update(facts).digest('hex');
}
