import type { Duplex } from 'node:stream';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../platform/clock.ts';
import {
  AgentUnavailableError,
  CapacityError,
  type ComputeDriver,
  ComputeUnavailableError,
  DiskShrinkError,
  type DriverReport,
  type GuestEvent,
  type GuestSample,
  type GuestSize,
  type GuestSpec,
  type GuestState,
  type GuestVolume,
  type NetworkPolicy,
  type SnapshotInfo,
} from '../driver.ts';
import { diskAt, endRun, type Guest, newGuest, sampleAt } from './guest.ts';
import { LazyInside } from './lazy-inside.ts';
import { hogSince, withHog } from './machine/trouble.ts';
import { bytesInside } from './machine/usage.ts';
import { type Faults, Operations } from './operations.ts';
import { hashPassword } from './password.ts';
import { askOff, type Pace, powerAt, powerOn, restart, whenBooted, whenOff } from './power.ts';
import { has } from './sentinels.ts';
import { countGuests, deleteGuest, guestIds, meteredGuests, readGuest, usedSize } from './store.ts';
import { watchGuests } from './watcher.ts';

export interface SimulatorOptions {
  /** Migrated; guests live in it. The simulator never closes it. */
  db: Database;
  clock: Clock;
  bootSeconds: number;
  /** From being asked to being off. */
  shutdownSeconds?: number;
  /** What each region can hold; no limit when absent. */
  capacity?: GuestSize;
  faults?: Faults;
}

const DEFAULT_SHUTDOWN_SECONDS = 2;

const doNothing = () => {};

/** A compute engine of pretence: real states, waits, readings and failures, no machine. See docs/simulator.md. */
export function createSimulator(options: SimulatorOptions): ComputeDriver {
  return new Simulator(options);
}

class Simulator implements ComputeDriver {
  readonly name = 'simulator';
  readonly #db: Database;
  readonly #clock: Clock;
  readonly #pace: Pace;
  readonly #capacity: GuestSize | undefined;
  readonly #operations: Operations;
  readonly #inside: LazyInside;
  readonly #watchers = new Set<Promise<void>>();

  constructor(options: SimulatorOptions) {
    const { db, clock, bootSeconds, shutdownSeconds = DEFAULT_SHUTDOWN_SECONDS } = options;
    this.#db = db;
    this.#clock = clock;
    this.#pace = { bootMs: bootSeconds * 1000, shutdownMs: shutdownSeconds * 1000 };
    this.#capacity = options.capacity;
    this.#operations = new Operations(db, clock, options.faults ?? doNothing);
    this.#inside = new LazyInside(db, clock);
  }

  async probe(): Promise<DriverReport> {
    try {
      const count = await countGuests(this.#db);
      return { ok: true, summary: `simulator: ${count} guests, a boot takes ${this.#pace.bootMs / 1000} s` };
    } catch (error) {
      return { ok: false, summary: `simulator: guests cannot be read: ${error}` };
    }
  }

  async admit(size: GuestSize, region: string): Promise<void> {
    if (!this.#capacity) return;
    const used = await usedSize(this.#db, region);
    for (const part of ['vcpu', 'ramMb', 'diskGb'] as const) {
      const left = this.#capacity[part] - used[part];
      if (size[part] > left) throw new CapacityError(`${region} has ${left} ${part} left, not ${size[part]}`);
    }
  }

  async create(spec: GuestSpec): Promise<void> {
    const { id, hostname } = spec;
    if (has(hostname, 'unavailable')) throw new ComputeUnavailableError(`${hostname} asks for no engine`);
    await this.#operations.create(id, newGuest(spec));
  }

  async start(id: string, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#operations.change('start', id, (guest, now) => powerOn(guest, now, this.#pace));
    await this.#operations.wait(id, (guest, now) => whenBooted(id, guest, now), signal);
  }

  async shutdown(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    const deadline = await this.#operations.change('shutdown', id, (guest, now) => {
      const latest = now + timeoutSeconds * 1000;
      askOff(guest, now, latest, this.#pace);
      return latest;
    });
    await this.#operations.wait(id, (guest, now) => whenOff(id, guest, now, deadline), signal);
    await this.#inside.look();
  }

  async powerOff(id: string): Promise<void> {
    await this.#operations.change('powerOff', id, (guest, now) => endRun(id, guest, now), doNothing);
    await this.#inside.look();
  }

  async reboot(id: string, timeoutSeconds: number, signal?: AbortSignal): Promise<void> {
    signal?.throwIfAborted();
    await this.#operations.change('reboot', id, (guest, now) =>
      restart(guest, now, timeoutSeconds * 1000, this.#pace),
    );
    await this.#operations.wait(id, (guest, now) => whenBooted(id, guest, now), signal);
  }

  async remove(id: string): Promise<void> {
    await this.#operations.change('remove', id, doNothing, doNothing);
    await deleteGuest(this.#db, id);
    await this.#inside.look();
  }

  async resize(id: string, size: GuestSize): Promise<void> {
    await this.#operations.change('resize', id, (guest) => {
      if (guest.run) throw new Error(`${id} must be off to be resized`);
      if (size.diskGb < guest.diskGb) {
        throw new DiskShrinkError(
          `the disk of ${id} has ${guest.diskGb} GB and cannot shrink to ${size.diskGb}`,
        );
      }
      guest.vcpu = size.vcpu;
      guest.ramMb = size.ramMb;
      guest.diskGb = size.diskGb;
    });
  }

  async setPassword(id: string, username: string, password: string): Promise<void> {
    const hash = hashPassword(password);
    await this.#operations.change('setPassword', id, (guest, now) => {
      requireAgent(id, guest, now);
      guest.passwords[username] = hash;
    });
  }

  async authorizeKey(id: string, publicKey: string): Promise<void> {
    await this.#operations.change('authorizeKey', id, (guest, now) => {
      requireAgent(id, guest, now);
      if (!guest.authorizedKeys.includes(publicKey)) guest.authorizedKeys.push(publicKey);
    });
  }

  createSnapshot(id: string, snapshotId: string): Promise<SnapshotInfo> {
    return this.#operations.change('createSnapshot', id, (guest, now) => {
      guest.snapshots[snapshotId] ??= { sizeBytes: diskAt(id, guest, now).usedBytes, includesMemory: false };
      return guest.snapshots[snapshotId];
    });
  }

  async deleteSnapshot(id: string, snapshotId: string): Promise<void> {
    const forget = (guest: Guest) => {
      delete guest.snapshots[snapshotId];
    };
    await this.#operations.change('deleteSnapshot', id, forget, doNothing);
  }

  async applyNetwork(id: string, policy: NetworkPolicy): Promise<void> {
    await this.#operations.change('applyNetwork', id, (guest) => {
      guest.network = policy;
    });
  }

  async inspect(id: string): Promise<GuestState | undefined> {
    const guest = await readGuest(this.#db, id);
    if (!guest) return undefined;
    const { vcpu, ramMb, diskGb } = guest;
    const power = powerAt(guest, this.#now());
    const agent = power === 'running' && !has(guest.hostname, 'hasNoAgent');
    return { id, power, agent, vcpu, ramMb, diskGb, snapshotIds: Object.keys(guest.snapshots) };
  }

  list(): Promise<string[]> {
    return guestIds(this.#db);
  }

  async sample(ids: string[]): Promise<GuestSample[]> {
    const guests = await meteredGuests(this.#db, ids);
    const now = this.#now();
    return guests.flatMap((guest) => {
      const sample = sampleAt(guest.id, guest, now);
      if (!sample) return [];
      const hog = hogSince(guest, guest.units);
      return [{ ...sample, ramUsedBytes: withHog(sample.ramUsedBytes, guest.ramMb, hog, now) }];
    });
  }

  async volumes(id: string): Promise<GuestVolume[]> {
    const guest = await readGuest(this.#db, id);
    if (!guest) return [];
    const disk = diskAt(id, guest, this.#now());
    const written = disk.usedBytes + (await bytesInside(this.#db, id, guest));
    return [{ ...disk, usedBytes: Math.min(written, guest.diskGb * 1_000_000_000) }];
  }

  openVnc(id: string): Promise<Duplex> {
    return this.#inside.openVnc(id);
  }

  openSsh(id: string): Promise<Duplex> {
    return this.#inside.openSsh(id);
  }

  watch(listener: (event: GuestEvent) => void): () => void {
    const stopping = new AbortController();
    const signal = AbortSignal.any([stopping.signal, this.#operations.closing]);
    const watcher = watchGuests(this.#db, this.#clock, listener, signal);
    this.#watchers.add(watcher);
    watcher.finally(() => this.#watchers.delete(watcher));
    return () => stopping.abort();
  }

  async close(): Promise<void> {
    this.#operations.close();
    await Promise.all([this.#inside.close(), ...this.#watchers]);
  }

  #now(): number {
    return this.#clock.now().getTime();
  }
}

/** Whoever changes a guest from the inside needs it running, with something inside that answers. */
function requireAgent(id: string, guest: Guest, now: number): void {
  if (powerAt(guest, now) !== 'running') throw new AgentUnavailableError(`${id} is not running`);
  if (has(guest.hostname, 'hasNoAgent')) throw new AgentUnavailableError(`nothing inside ${id} answers`);
}
