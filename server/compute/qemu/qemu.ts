import type { Duplex } from 'node:stream';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import {
  AgentUnavailableError,
  type ComputeDriver,
  type DriverReport,
  type GuestEvent,
  type GuestSample,
  type GuestSize,
  type GuestSpec,
  type GuestState,
  type GuestVolume,
  type NetworkPolicy,
  ShutdownTimeoutError,
  type SnapshotInfo,
} from '../driver.ts';
import { adoptGuests } from './adoption.ts';
import { type CapacitySettings, checkCapacity, hostCapacity } from './capacity.ts';
import type { Guest } from './guest.ts';
import { Guests, type Images } from './guests.ts';
import { Happenings } from './happenings.ts';
import { Inside } from './inside.ts';
import type { Launcher } from './launcher.ts';
import type { HostNetwork } from './network.ts';
import type { OpsLogin } from './ops-login.ts';
import { Power } from './power.ts';
import { probeHost } from './probe.ts';
import { readSamples } from './readings.ts';
import { resizeGuest, volumeOf } from './sizing.ts';
import { dropSnapshot, takeSnapshot } from './snapshots.ts';
import type { Surroundings } from './traffic.ts';
import { Locks } from './waiting.ts';
import type { WarmTemplates } from './warm.ts';

export interface QemuOptions {
  clock: Clock;
  logger: Pick<Logger, 'warn'>;
  /** Of the guests' directories. */
  directory: string;
  images: Images;
  network: HostNetwork;
  launcher: Launcher;
  accelerator: 'kvm' | 'tcg';
  capacity: CapacitySettings;
  /** Resolvers of the guests. */
  nameservers: readonly string[];
  opsLogin?: OpsLogin;
  /** Where new guests may be clones. */
  warm?: WarmTemplates;
}

/** Real machines on this host, one QEMU process each. See docs/qemu.md. */
export function createQemu(options: QemuOptions): ComputeDriver {
  return new Qemu(options);
}

class Qemu implements ComputeDriver {
  readonly name = 'qemu';
  readonly #options: QemuOptions;
  readonly #guests: Guests;
  readonly #power: Power;
  readonly #inside: Inside;
  readonly #happenings = new Happenings();
  readonly #surroundings: Surroundings;
  /** Held while a guest is altered, never while a boot or an end is waited for. */
  readonly #locks = new Locks();
  #opening: Promise<void> | undefined;

  constructor(options: QemuOptions) {
    this.#options = options;
    this.#guests = new Guests(options.directory, options.images, options.nameservers, options.warm);
    this.#power = new Power({ ...options, happenings: this.#happenings });
    this.#inside = new Inside(options);
    this.#surroundings = { ...options, cutOff: (guest) => this.#power.cutOff(guest) };
  }

  async probe(): Promise<DriverReport> {
    try {
      await this.#open();
      return await probeHost(this.#options, this.#guests.all().length);
    } catch (error) {
      return { ok: false, summary: `qemu: ${error instanceof Error ? error.message : error}` };
    }
  }

  async admit(size: GuestSize): Promise<void> {
    await this.#open();
    const { directory, capacity, network } = this.#options;
    await network.reachable();
    const sizes = this.#guests.all().map(({ record }) => record);
    checkCapacity(await hostCapacity(directory, capacity), sizes, size);
  }

  create(spec: GuestSpec): Promise<void> {
    return this.#alone(spec.id, () => this.#guests.create(spec));
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const guest = await this.#need(id);
    const run = await this.#alone(id, () => this.#power.on(this.#guests.need(id)));
    await this.#power.untilBooted(guest, run, signal);
  }

  async shutdown(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const guest = await this.#need(id);
    if (guest.run) await this.#power.shutDown(guest, guest.run, timeoutSeconds, signal);
  }

  powerOff(id: string): Promise<void> {
    return this.#alone(id, async () => {
      const guest = this.#guests.find(id);
      if (guest) await this.#power.off(guest);
    });
  }

  async reboot(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const guest = await this.#need(id);
    // A machine cannot be given another interface: it is ended, and the next has one.
    if (guest.run?.cutOff) await this.#end(id, timeoutSeconds, signal);
    if (!guest.run) return this.start(id, signal);
    await this.#power.restart(guest, guest.run, timeoutSeconds, signal);
  }

  remove(id: string): Promise<void> {
    return this.#alone(id, async () => {
      const guest = this.#guests.find(id);
      if (!guest) return;
      await this.#power.off(guest);
      await this.#options.network.detach(id);
      await this.#guests.remove(guest);
    });
  }

  resize(id: string, size: GuestSize): Promise<void> {
    return this.#alone(id, () => resizeGuest(this.#guests.need(id), size));
  }

  async setPassword(id: string, username: string, password: string): Promise<void> {
    await this.#inside.setPassword(await this.#need(id), username, password);
  }

  async authorizeKey(id: string, publicKey: string): Promise<void> {
    await this.#inside.authorizeKey(await this.#need(id), publicKey);
  }

  createSnapshot(id: string, snapshotId: string): Promise<SnapshotInfo> {
    return this.#alone(id, () => takeSnapshot(this.#guests.need(id), snapshotId, this.#inside));
  }

  deleteSnapshot(id: string, snapshotId: string): Promise<void> {
    return this.#alone(id, async () => dropSnapshot(this.#guests.find(id), snapshotId));
  }

  applyNetwork(id: string, policy: NetworkPolicy): Promise<void> {
    return this.#alone(id, async () => {
      const guest = this.#guests.need(id);
      await guest.save({ policy });
      if (guest.run) await this.#options.network.apply(guest.networkGuest, policy);
    });
  }

  async inspect(id: string): Promise<GuestState | undefined> {
    await this.#open();
    const guest = this.#guests.find(id);
    if (!guest) return undefined;
    const { vcpu, ramMb, diskGb, snapshots } = guest.record;
    const agent = this.#inside.canChange(guest);
    return { id, power: guest.power, agent, vcpu, ramMb, diskGb, snapshotIds: Object.keys(snapshots) };
  }

  async list(): Promise<string[]> {
    await this.#open();
    return this.#guests.all().map(({ id }) => id);
  }

  async sample(ids: string[]): Promise<GuestSample[]> {
    await this.#open();
    return readSamples(this.#guests, ids, this.#surroundings, this.#options.clock);
  }

  async volumes(id: string): Promise<GuestVolume[]> {
    await this.#open();
    const guest = this.#guests.find(id);
    return guest ? [await volumeOf(guest)] : [];
  }

  async openVnc(id: string): Promise<Duplex> {
    return this.#inside.openVnc(await this.#present(id));
  }

  async openSsh(id: string): Promise<Duplex> {
    return this.#inside.openSsh(await this.#present(id));
  }

  watch(listener: (event: GuestEvent) => void): () => void {
    return this.#happenings.watch(listener);
  }

  async close(): Promise<void> {
    this.#power.close();
    await this.#options.warm?.close();
    await this.#opening?.catch(() => {});
    await this.#locks.idle();
    for (const guest of this.#guests.all()) {
      if (guest.run?.ending) await guest.run.ended;
      guest.run?.release();
      await guest.saved();
    }
    this.#happenings.close();
    await this.#options.network.close();
  }

  /** Powers the guest off, by force unless it obeys. */
  async #end(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    try {
      await this.shutdown(id, timeoutSeconds, signal);
    } catch (error) {
      if (!(error instanceof ShutdownTimeoutError)) throw error;
      await this.powerOff(id);
    }
  }

  #open(): Promise<void> {
    this.#power.closed.throwIfAborted();
    this.#opening ??= adoptGuests(this.#guests, this.#power, this.#surroundings);
    return this.#opening;
  }

  async #need(id: string): Promise<Guest> {
    await this.#open();
    return this.#guests.need(id);
  }

  async #present(id: string): Promise<Guest> {
    await this.#open();
    const guest = this.#guests.find(id);
    if (!guest) throw new AgentUnavailableError(`this host has no guest ${id}`);
    return guest;
  }

  async #alone<T>(id: string, work: () => Promise<T>): Promise<T> {
    await this.#open();
    return this.#locks.run(id, work);
  }
}
