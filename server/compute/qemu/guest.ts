import { basename, join } from 'node:path';
import { writeDurably } from '../../platform/durable-file.ts';
import { parseJson } from '../../platform/peer/json.ts';
import type { GuestEvent, GuestSight, GuestSize, NetworkPolicy, SnapshotInfo } from '../driver.ts';
import { FILES } from './arguments.ts';
import { asCapacity } from './disk.ts';
import { OWN, readGuestFile } from './guest-file.ts';
import type { Hardware } from './hardware.ts';
import type { DirectBoot } from './image.ts';
import type { NetworkGuest } from './network.ts';
import type { QemuProcess } from './qemu-process.ts';
import type { Readiness } from './readiness.ts';
import { checkRecord } from './record-shape.ts';

/** What the driver remembers of a guest, as a file in its directory. There is no other place. */
export interface GuestRecord extends GuestSize {
  id: string;
  uuid: string;
  hostname: string;
  template: string;
  /** The image's default user. */
  user: string;
  /** The user that its process runs as; absent: the one of all guests, of an earlier version or without a helper. */
  uid?: number;
  /** What hardware it sees, whichever QEMU runs it; absent only until an older record is first read. */
  hardware?: Hardware;
  mac: string;
  addresses: NetworkGuest['addresses'];
  directBoot?: DirectBoot;
  /** Of the host, that a dedicated guest has for itself; given when it is started. */
  cpus?: number[];
  /** The image's, where that says it. */
  readiness?: Readiness;
  readyWithinSeconds?: number;
  /** The file that its disk stands on; absent of one that an earlier version has made. */
  base?: string;
  /** Its disk stands on that of a warm template, `of`; while `asleep` it was never started, and goes on from there. */
  clone?: { of: string; image: string; asleep: boolean };
  snapshots: Record<string, SnapshotInfo>;
  /** Its disk is being brought back to a snapshot: one that was cut off may have left counts in it that are wrong. */
  restoring?: true;
  /** A rebuild whose end is open, see `rebuild.ts`. */
  rebuilt?: Rebuilt;
  /** Null until rules were given: nothing comes in then. */
  policy: NetworkPolicy | null;
  run: RunRecord | null;
  /** What happened to it by itself, the newest last: told again after a restart, because a listener may have missed it. */
  happenings: StoredEvent[];
}

/** What a rebuild goes back to; `from` is null where it has made the guest. It does go back once `back` is set. */
export interface Rebuilt {
  by: string;
  from: Former | null;
  back?: true;
}

/** Of a guest what a rebuild changes. */
export type Former = Omit<
  GuestRecord,
  'id' | 'uuid' | 'uid' | 'hardware' | 'policy' | 'run' | 'happenings' | 'rebuilt'
>;

/** From power on to power off. */
export interface RunRecord {
  /** Epoch milliseconds; names the run in the keys of events. */
  since: number;
  /** Its readiness is not waited for any more. */
  booted: boolean;
  /** The service has asked for its end, so that the end is no news. */
  asked: boolean;
  /** Its file systems stand still, or may: they are thawed as soon as no work on the guest is under way. */
  frozen?: boolean;
  /**
   * How often its disk has found no room on the host, and found it again: names the next such trouble in the key of its
   * event. Counted at the end, because at the beginning there is no room for a note.
   */
  shortages?: number;
}

type StoredEvent = Omit<GuestEvent, 'at'> & { at: string };

/** What may be the name of a guest's directory; any other id is no guest's. */
export const GUEST_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** The service's alone. */
const RECORD_MODE = 0o600;
/** A thousand rules of a hundred networks are a fifth of it. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;
/** Kept for a service that was away; older ones have long been recorded. */
const MAX_HAPPENINGS = 8;

const CLOSED: NetworkPolicy = { defaultIn: 'drop', defaultOut: 'accept', firewall: [], portForwards: [] };

/** One guest: what is remembered of it, and its process while it runs. */
export class Guest {
  readonly directory: string;
  readonly record: GuestRecord;
  run: QemuProcess | undefined;
  /** Resolves when it is known whether it runs, and never rejects. */
  adopting: Promise<void> | undefined;
  /** Why its process, which may be running, could not be adopted. */
  unseen: Error | undefined;
  #retired = false;
  #saving: Promise<void> = Promise.resolve();

  constructor(directory: string, record: GuestRecord) {
    this.directory = directory;
    this.record = record;
  }

  /** The guest of a directory that {@link save} has written to; throws with the path where it holds anything else. */
  static async read(directory: string): Promise<Guest> {
    const path = join(directory, FILES.record);
    try {
      const text = await readGuestFile(path, MAX_RECORD_BYTES, { owners: OWN });
      const record = parseJson(text, 'the record');
      checkRecord(record);
      if (record.id !== basename(directory)) throw new Error(`it is the record of ${record.id}`);
      return new Guest(directory, record);
    } catch (error) {
      throw new Error(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
    }
  }

  get id(): string {
    return this.record.id;
  }

  get power(): GuestSight['power'] {
    if (!this.run) return this.unseen ? 'unknown' : 'off';
    return this.run.booted ? 'running' : 'booting';
  }

  get policy(): NetworkPolicy {
    return this.record.policy ?? CLOSED;
  }

  get networkGuest(): NetworkGuest {
    const { id, mac, addresses, uid } = this.record;
    return { id, mac, addresses, uid, directory: this.directory };
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

  /** The same for a change that is made on disk or not at all: where it cannot be written, the record is as before. */
  async saveOrKeep(change: Partial<GuestRecord>): Promise<void> {
    const before = { ...this.record };
    await this.save(change).catch(async (error) => {
      for (const name of Object.keys(change) as (keyof GuestRecord)[])
        Object.assign(this.record, { [name]: before[name] });
      // It may have been moved into place before it failed.
      await this.save().catch(() => {});
      throw error;
    });
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

  /** Written aside and moved into place: a reader sees the old one or the new one. */
  async #write(): Promise<void> {
    try {
      await writeDurably(this.file('record'), `${JSON.stringify(this.record, null, 2)}\n`, RECORD_MODE);
    } catch (error) {
      throw asCapacity(error);
    }
  }
}
