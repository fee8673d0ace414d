import type { Clock } from '../../../../platform/clock.ts';
import { diskUsedAt, type SimulatedGuest, sampleAt } from '../model/guest.ts';
import { usageBetween } from '../model/rhythm.ts';
import { type Distribution, distributionOf } from './distribution.ts';
import { Files } from './files.ts';
import { addLog, type InsideState, NEW_INSIDE } from './state.ts';
import type { SystemStore } from './store.ts';
import { hogSince, withHog } from './trouble.ts';

const LOAD_SPANS_MS = [60_000, 300_000, 900_000] as const;
const MEBIBYTE = 1_048_576;

/** The values shown by `free`, in bytes. */
export interface Memory {
  total: number;
  used: number;
  cached: number;
}

/**
 * The inside of a guest: a view of the stored guest, updated by {@link refresh} before each command line, and the ways
 * to change it. Several sessions and nodes may hold views of the same guest.
 */
export class System {
  readonly id: string;
  readonly store: SystemStore;
  readonly clock: Clock;
  readonly files: Files;
  readonly hostKey: string;
  guest: SimulatedGuest;
  inside: InsideState;

  private constructor(
    store: SystemStore,
    clock: Clock,
    id: string,
    guest: SimulatedGuest,
    inside: InsideState,
    hostKey: string,
  ) {
    this.store = store;
    this.clock = clock;
    this.id = id;
    this.guest = guest;
    this.inside = inside;
    this.hostKey = hostKey;
    this.files = new Files(this);
  }

  /** Opens the inside of a guest, or returns undefined if there is no such guest. */
  static async open(
    store: SystemStore,
    clock: Clock,
    id: string,
    freshHostKey: () => string,
  ): Promise<System | undefined> {
    const hostKey = await store.hostKey(id, () => ({ hostKey: freshHostKey(), inside: NEW_INSIDE }));
    const found = await store.read(id);
    if (!found || hostKey === undefined) return undefined;
    return new System(store, clock, id, found.guest, found.inside ?? NEW_INSIDE, hostKey);
  }

  /** Reads the guest again. If it is gone, the view stays as it was. */
  async refresh(): Promise<void> {
    const found = await this.store.read(this.id);
    if (!found) return;
    this.guest = found.guest;
    this.inside = found.inside ?? NEW_INSIDE;
    this.files.show(await this.store.readEntries(this.id));
  }

  async change(work: (inside: InsideState) => void): Promise<void> {
    this.inside = (await this.store.change(this.id, work)) ?? this.inside;
  }

  log(unit: string, pid: number, text: string): Promise<void> {
    const at = this.now();
    return this.change((inside) => addLog(inside, { at, unit, pid, text }));
  }

  /** Epoch milliseconds. */
  now(): number {
    return this.clock.now().getTime();
  }

  get distribution(): Distribution {
    return distributionOf(this.guest.template);
  }

  /** When the kernel started, in epoch milliseconds; the current time if the guest is off. */
  get bootedAt(): number {
    return this.guest.run?.bootFrom ?? this.now();
  }

  /** Consistent with the driver's samples. */
  memory(): Memory {
    const { id, guest } = this;
    const sampled = sampleAt(id, guest, this.now())?.ramUsedBytes ?? 0;
    const used = withHog(sampled, guest.ramMb, hogSince(guest, this.inside.units), this.now());
    const total = guest.ramMb * MEBIBYTE;
    return { total, used, cached: Math.floor((total - used) * 0.4) };
  }

  /** Returns the size and usage of the disk in bytes, the same as the driver's volume. */
  disk(): { total: number; used: number } {
    const total = this.guest.diskGb * 1_000_000_000;
    return {
      total,
      used: Math.min(total, diskUsedAt(this.id, this.guest, this.now()) + this.files.bytes()),
    };
  }

  /** Returns the load averages over 1, 5 and 15 minutes. */
  load(): number[] {
    const { run, vcpu } = this.guest;
    const now = this.now();
    return LOAD_SPANS_MS.map((span) => {
      const from = Math.max(run?.since ?? now, now - span);
      return from >= now ? 0 : usageBetween(this.id, vcpu, from, now).cpuSeconds / (span / 1000);
    });
  }
}
