import { open, readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import type { GuestEvent, GuestSize, NetworkPolicy, PowerState, SnapshotInfo } from '../driver.ts';
import { FILES } from './arguments.ts';
import { asCapacity } from './disk.ts';
import type { DirectBoot } from './image.ts';
import type { NetworkGuest } from './network.ts';
import type { Run } from './run.ts';

/** What the driver remembers of a guest, as a file in its directory. There is no other place. */
export interface GuestRecord extends GuestSize {
  id: string;
  uuid: string;
  hostname: string;
  template: string;
  /** The image's default user. */
  user: string;
  mac: string;
  addresses: NetworkGuest['addresses'];
  directBoot?: DirectBoot;
  /** Its disk stands on that of a warm template, `of`; while `asleep` it was never started, and goes on from there. */
  clone?: { of: string; image: string; asleep: boolean };
  snapshots: Record<string, SnapshotInfo>;
  /** Null until rules were given: nothing comes in then. */
  policy: NetworkPolicy | null;
  run: RunRecord | null;
  /** What happened to it by itself, the newest last: told again after a restart, because a listener may have missed it. */
  happenings: StoredEvent[];
}

/** From power on to power off. */
export interface RunRecord {
  /** Epoch milliseconds; names the run in the keys of events. */
  since: number;
  booted: boolean;
  /** The service has asked for its end, so that the end is no news. */
  asked: boolean;
  /**
   * How often its disk has found no room on the host, and found it again: names the next such trouble in the key of its
   * event. Counted at the end, because at the beginning there is no room for a note.
   */
  shortages?: number;
}

type StoredEvent = Omit<GuestEvent, 'at'> & { at: string };

/** Kept for a service that was away; older ones have long been recorded. */
const MAX_HAPPENINGS = 8;

const CLOSED: NetworkPolicy = { defaultIn: 'drop', defaultOut: 'accept', firewall: [], portForwards: [] };

/** One guest: what is remembered of it, and its process while it runs. */
export class Guest {
  readonly directory: string;
  readonly record: GuestRecord;
  run: Run | undefined;
  #retired = false;
  #saving: Promise<void> = Promise.resolve();

  constructor(directory: string, record: GuestRecord) {
    this.directory = directory;
    this.record = record;
  }

  /** The guest of a directory that {@link save} has written to. */
  static async read(directory: string): Promise<Guest> {
    return new Guest(directory, JSON.parse(await readFile(join(directory, FILES.record), 'utf8')));
  }

  get id(): string {
    return this.record.id;
  }

  get power(): PowerState {
    if (!this.run) return 'off';
    return this.run.booted ? 'running' : 'booting';
  }

  get policy(): NetworkPolicy {
    return this.record.policy ?? CLOSED;
  }

  get networkGuest(): NetworkGuest {
    const { id, mac, addresses } = this.record;
    return { id, mac, addresses, directory: this.directory };
  }

  file(name: keyof typeof FILES): string {
    return join(this.directory, FILES[name]);
  }

  /** Changes the record, in memory at once and on disk when this resolves; {@link CapacityError} on a full one. */
  save(change: Partial<GuestRecord> = {}): Promise<void> {
    Object.assign(this.record, change);
    const write = () => (this.#retired ? undefined : this.#write());
    const saved = this.#saving.catch(() => {}).then(write);
    this.#saving = saved;
    return saved;
  }

  /** Resolves when everything was written; never rejects. */
  async saved(): Promise<void> {
    await this.#saving.catch(() => {});
  }

  /** Nothing is written any more when this resolves: the directory may soon be another guest's of the same id. */
  async retire(): Promise<void> {
    this.#retired = true;
    await this.saved();
  }

  remember(event: GuestEvent): void {
    const { happenings } = this.record;
    if (happenings.some(({ key }) => key === event.key)) return;
    happenings.push({ ...event, at: event.at.toISOString() });
    happenings.splice(0, happenings.length - MAX_HAPPENINGS);
  }

  /** Written aside and moved into place: whoever reads it sees the old one or the new one. */
  async #write(): Promise<void> {
    const path = this.file('record');
    const aside = `${path}.new`;
    try {
      const file = await open(aside, 'w', 0o600);
      try {
        await file.writeFile(`${JSON.stringify(this.record, null, 2)}\n`);
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(aside, path);
    } catch (error) {
      throw asCapacity(error);
    }
  }
}
