import { hostname } from 'node:os';
import type { Duplex } from 'node:stream';
import { KeyedQueue } from '../../platform/keyed-queue.ts';
import {
  AgentUnavailableError,
  type ComputeDriver,
  type DriverCapabilities,
  type DriverReport,
  type GuestEvent,
  type GuestSample,
  type GuestSight,
  type GuestSpec,
  type GuestState,
  type GuestVolume,
  type HostInfo,
  type MoveKind,
  ShutdownTimeoutError,
} from '../driver.ts';
import { GuestEvents } from '../guest-events.ts';
import { Admission } from './admission.ts';
import type { RunImage } from './disk/disk.ts';
import { adoptGuests, adoptMended } from './guest/adoption.ts';
import type { Guest } from './guest/guest.ts';
import { GuestAccess } from './guest/guest-access.ts';
import { Guests } from './guest/guests.ts';
import { Power } from './guest/power.ts';
import { readSamples } from './guest/readings.ts';
import { finishRebuild, rebuildGuest, undoRebuild } from './guest/rebuild.ts';
import { Sight } from './guest/sight.ts';
import { resizeGuest, volumeOf } from './guest/sizing.ts';
import { dropSnapshot, restoreSnapshot, takeSnapshot } from './guest/snapshots.ts';
import { applyRules, type NetworkContext } from './network/traffic.ts';
import type { QemuOptions } from './options.ts';
import { probeHost } from './probe.ts';

/** Creates the driver for guests on this host, one QEMU process each. See docs/qemu.md. */
export function createQemu(options: QemuOptions): ComputeDriver {
  return new Qemu(options);
}

type Method<M extends keyof ComputeDriver> = ComputeDriver[M];

class Qemu implements ComputeDriver {
  readonly name = 'qemu';
  readonly place = () => this.#guests.place();
  readonly findTemplate = (code: string) => this.#admission.template(code);
  readonly watch = (listener: (event: GuestEvent) => void) => this.#guestEvents.watch(listener);
  readonly resize: Method<'resize'> = (id, size) =>
    this.#alone(id, () =>
      this.#admission.within(id, size, () => resizeGuest(this.#guests.need(id), size, this.#image)),
    );
  readonly createSnapshot: Method<'createSnapshot'> = (id, snapshotId) =>
    this.#alone(id, () =>
      takeSnapshot(this.#guests.need(id), snapshotId, {
        inside: this.#inside,
        pool: this.#guests.pool,
        image: this.#image,
      }),
    );
  readonly deleteSnapshot: Method<'deleteSnapshot'> = (id, snapshotId) =>
    this.#alone(id, () => dropSnapshot(this.#guests.find(id), snapshotId, this.#image));
  readonly restoreSnapshot: Method<'restoreSnapshot'> = (id, snapshotId) =>
    this.#alone(id, () => restoreSnapshot(this.#guests.need(id), snapshotId, this.#image));
  readonly rebuild: Method<'rebuild'> = (spec, rebuildId) =>
    this.#alone(spec.id, () =>
      this.#admission.rebuilding(spec, () => rebuildGuest(this.#guests, spec, rebuildId)),
    );
  readonly finishRebuild: Method<'finishRebuild'> = (id, rebuildId) =>
    this.#alone(id, () => finishRebuild(this.#guests.find(id), rebuildId));
  readonly setPassword: Method<'setPassword'> = async (id, username, password) =>
    this.#inside.setPassword(await this.#need(id), username, password);
  readonly authorizeKey: Method<'authorizeKey'> = async (id, publicKey) =>
    this.#inside.authorizeKey(await this.#need(id), publicKey);
  readonly revokeKey: Method<'revokeKey'> = async (id, publicKey) =>
    this.#inside.revokeKey(await this.#need(id), publicKey);
  readonly applyNetwork: Method<'applyNetwork'> = (id, policy) =>
    this.#alone(id, () => applyRules(this.#guests.need(id), policy, this.#options.network));
  readonly #options: QemuOptions;
  readonly #guests: Guests;
  readonly #admission: Admission;
  readonly #power: Power;
  readonly #inside: GuestAccess;
  readonly #sight: Sight;
  readonly #guestEvents = new GuestEvents();
  readonly #networkContext: NetworkContext;
  /** Held while a guest is altered, but never while waiting for it to boot or power off. */
  readonly #locks = new KeyedQueue();
  readonly #image: RunImage = (owner, command) => this.#options.launcher.image(owner, command);
  #opening: Promise<void> | undefined;

  constructor(options: QemuOptions) {
    this.#options = options;
    this.#guests = new Guests(options);
    this.#admission = new Admission(options, this.#guests);
    options.warm?.limitBy((size) => this.#admission.hasRoom(size));
    this.#inside = new GuestAccess(options);
    const { pool } = this.#guests;
    const own = { guests: this.#guests, inside: this.#inside, admission: this.#admission, pool };
    this.#power = new Power({ ...options, ...own, guestEvents: this.#guestEvents });
    this.#sight = new Sight(this.#power, options.logger);
    this.#networkContext = { ...options, pool, cutOff: (guest) => this.#power.cutOff(guest) };
  }

  async probe(): Promise<DriverReport> {
    try {
      await this.#open();
      return await probeHost(this.#options, this.#guests);
    } catch (error) {
      return { ok: false, summary: `qemu: ${error instanceof Error ? error.message : error}` };
    }
  }

  create(spec: GuestSpec): Promise<void> {
    return this.#alone(spec.id, () => this.#admission.within(spec.id, spec, () => this.#guests.create(spec)));
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#alone(id, () => this.#power.on(this.#guests.need(id)));
  }

  async shutdown(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const guest = await this.#need(id);
    if (guest.run) await this.#power.shutDown(guest, guest.run, timeoutSeconds, signal);
  }

  powerOff(id: string): Promise<void> {
    return this.#aloneUnseen(id, async () => {
      const guest = this.#guests.find(id);
      if (guest) await this.#power.off(guest);
    });
  }

  async reboot(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const guest = await this.#need(id);
    // A running process cannot be given another interface, so end it; the next one will have one.
    if (guest.run?.cutOff) await this.#end(id, timeoutSeconds, signal);
    return guest.run ? this.#power.restart(guest, guest.run, timeoutSeconds, signal) : this.start(id, signal);
  }

  remove(id: string): Promise<void> {
    return this.#aloneUnseen(id, async () => {
      const guest = this.#guests.find(id);
      if (!guest) return;
      await this.#power.off(guest);
      await this.#options.network.detach(id);
      await this.#guests.remove(guest);
    });
  }

  async undoRebuild(id: string, rebuildId: string): Promise<void> {
    const kept = await this.#alone(id, () => undoRebuild(this.#guests.find(id), rebuildId));
    if (!kept) await this.remove(id);
  }

  async inspect(id: string): Promise<GuestState | undefined> {
    await this.#ready(id);
    return this.#sight.stateOf(this.#guests.find(id), this.#inside);
  }

  capabilities(): DriverCapabilities {
    return { move: 'none', reach: 'this_node', screen: 'rfb', portForwards: true, refusedProtocols: [] };
  }

  async move(id: string): Promise<void> {
    throw new Error(`${id} is already on the only host`);
  }

  async moveKind(): Promise<MoveKind> {
    return 'cold';
  }

  async hosts(): Promise<HostInfo[]> {
    await this.#open();
    const capacity = await this.#admission.capacity();
    return [{ id: await this.#hostId(), name: hostname(), reachable: true, capacity }];
  }

  async list(): Promise<GuestSight[]> {
    await this.#readAgain();
    const hostId = await this.#hostId();
    return this.#sight.all(this.#guests).map((sight) => ({ ...sight, hostId }));
  }

  async sample(ids: string[]): Promise<GuestSample[]> {
    await this.#readAgain();
    this.#inside.thawForgotten(this.#guests.all());
    return readSamples(this.#guests, ids, this.#networkContext, this.#options.clock);
  }

  async volumes(id: string): Promise<GuestVolume[]> {
    await this.#ready(id);
    const guest = this.#guests.find(id);
    return guest ? [await volumeOf(guest)] : [];
  }

  async openVnc(id: string): Promise<Duplex> {
    return this.#inside.openVnc(await this.#present(id));
  }

  async openSsh(id: string): Promise<Duplex> {
    return this.#inside.openSsh(await this.#present(id));
  }

  async close(): Promise<void> {
    this.#power.close();
    await this.#options.warm?.close();
    await this.#opening?.catch(() => {});
    await this.#sight.idle();
    await this.#locks.idle();
    for (const guest of this.#guests.all()) {
      await guest.adopting;
      if (guest.run?.ending) await guest.run.ended;
      guest.run?.release();
      await guest.saved();
    }
    this.#guestEvents.close();
    await this.#options.network.close();
  }

  /** Powers the guest off, by force if it does not shut down in time. */
  async #end(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    try {
      await this.shutdown(id, timeoutSeconds, signal);
    } catch (error) {
      if (!(error instanceof ShutdownTimeoutError)) throw error;
      await this.powerOff(id);
    }
  }

  /** The only host is identified by the directory of its guests. */
  async #hostId(): Promise<string> {
    return `${this.name}:${await this.place()}`;
  }

  #open(): Promise<void> {
    this.#power.closed.throwIfAborted();
    this.#opening ??= adoptGuests(this.#guests, this.#power, this.#networkContext).then(() =>
      this.#inside.thawForgotten(this.#guests.all()),
    );
    return this.#opening;
  }

  /** Reads a guest that was set aside again. Throws while it cannot be read. */
  async #ready(id: string): Promise<void> {
    await this.#open();
    await this.#guests.find(id)?.adopting;
    if (!this.#guests.setAside.has(id)) return;
    await this.#locks.run(id, () => adoptMended(id, this.#guests, this.#power, this.#networkContext));
  }

  /** Reads all set-aside guests again; those that cannot be read stay set aside. */
  async #readAgain(): Promise<void> {
    await this.#open();
    await Promise.allSettled([...this.#guests.setAside].map((id) => this.#ready(id)));
  }

  #need(id: string): Promise<Guest> {
    return this.#ready(id).then(() => this.#sight.require(this.#guests.need(id)));
  }

  async #present(id: string): Promise<Guest> {
    await this.#ready(id);
    const guest = this.#guests.find(id);
    if (!guest) throw new AgentUnavailableError(`this host has no guest ${id}`);
    return guest;
  }

  #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    return this.#aloneUnseen(id, async () => {
      await this.#sight.require(this.#guests.find(id));
      return work();
    });
  }

  /** Same as `#alone`, for work that does not need to know the guest's power state. */
  async #aloneUnseen<T>(id: string, work: () => Promise<T>): Promise<T> {
    await this.#ready(id);
    return this.#locks.run(id, work);
  }
}
