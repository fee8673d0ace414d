import { diskAt, type Guest, sampleAt } from '../../compute/simulator/guest.ts';
import { usageBetween } from '../../compute/simulator/rhythm.ts';
import type { Database } from '../../db/database.ts';
import type { Clock } from '../../platform/clock.ts';
import { type Distribution, distributionOf } from './distribution.ts';
import { Files } from './files.ts';
import { addLog, type InsideState, NEW_INSIDE } from './state.ts';
import { changeInside, hostKeyOf, readFiles, readInside } from './store.ts';
import { hogSince, withHog } from './trouble.ts';

const LOAD_SPANS_MS = [60_000, 300_000, 900_000] as const;
const MEBIBYTE = 1_048_576;

/** What `free` shows, in bytes. */
export interface Memory {
  total: number;
  used: number;
  cached: number;
}

/**
 * A guest as it is seen from the inside: a view of the stored guest, taken by {@link refresh} before each line
 * of commands, and the ways to change it. Views of one guest may be held by several sessions and nodes.
 */
export class Machine {
  readonly id: string;
  readonly db: Database;
  readonly clock: Clock;
  readonly files: Files;
  readonly hostKey: string;
  guest: Guest;
  inside: InsideState;

  private constructor(
    db: Database,
    clock: Clock,
    id: string,
    guest: Guest,
    inside: InsideState,
    hostKey: string,
  ) {
    this.db = db;
    this.clock = clock;
    this.id = id;
    this.guest = guest;
    this.inside = inside;
    this.hostKey = hostKey;
    this.files = new Files(this);
  }

  /** The inside of a guest, or undefined when there is no such guest. */
  static async open(
    db: Database,
    clock: Clock,
    id: string,
    freshHostKey: () => string,
  ): Promise<Machine | undefined> {
    const hostKey = await hostKeyOf(db, id, freshHostKey);
    const found = await readInside(db, id);
    if (!found || hostKey === undefined) return undefined;
    return new Machine(db, clock, id, found.guest, found.inside ?? NEW_INSIDE, hostKey);
  }

  /** Looks at the guest again. One that has gone meanwhile stays as it was last seen. */
  async refresh(): Promise<void> {
    const found = await readInside(this.db, this.id);
    if (!found) return;
    this.guest = found.guest;
    this.inside = found.inside ?? NEW_INSIDE;
    this.files.show(await readFiles(this.db, this.id));
  }

  /** Changes what the guest remembers. */
  async change(work: (inside: InsideState) => void): Promise<void> {
    this.inside = (await changeInside(this.db, this.id, work)) ?? this.inside;
  }

  /** Adds a line to the journal. */
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

  /** When the kernel started, epoch milliseconds; the present when the guest is off. */
  get bootedAt(): number {
    return this.guest.run?.bootFrom ?? this.now();
  }

  /** As the driver samples it. */
  memory(): Memory {
    const { id, guest } = this;
    const sampled = sampleAt(id, guest, this.now())?.ramUsedBytes ?? 0;
    const used = withHog(sampled, guest.ramMb, hogSince(guest, this.inside.units), this.now());
    const total = guest.ramMb * MEBIBYTE;
    return { total, used, cached: Math.floor((total - used) * 0.4) };
  }

  /** Size and use of the one disk, bytes; the driver's volume shows the same. */
  disk(): { total: number; used: number } {
    const total = this.guest.diskGb * 1_000_000_000;
    return {
      total,
      used: Math.min(total, diskAt(this.id, this.guest, this.now()).usedBytes + this.files.bytes()),
    };
  }

  /** Load averages over 1, 5 and 15 minutes. */
  load(): number[] {
    const { run, vcpu } = this.guest;
    const now = this.now();
    return LOAD_SPANS_MS.map((span) => {
      const from = Math.max(run?.since ?? now, now - span);
      return from >= now ? 0 : usageBetween(this.id, vcpu, from, now).cpuSeconds / (span / 1000);
    });
  }
}
