import { basename, join } from 'node:path';
import { writeDurably } from '../../../platform/durable-file.ts';
import { parseJson } from '../../../platform/peer/json.ts';
import { SerialQueue } from '../../../platform/serial-queue.ts';
import type { GuestEvent, GuestSight, GuestSize, NetworkPolicy, SnapshotInfo } from '../../driver.ts';
import { asCapacity } from '../disk/disk.ts';
import type { DirectBoot } from '../images/image.ts';
import type { NetworkGuest } from '../network/network.ts';
import { FILES } from '../process/arguments.ts';
import type { Hardware } from '../process/hardware.ts';
import type { QemuProcess } from '../process/qemu-process.ts';
import { OWN, readGuestFile } from './guest-file.ts';
import type { Readiness } from './readiness.ts';
import { checkRecord } from './record-shape.ts';

/** The driver's record of a guest, stored as a file in its directory and nowhere else. */
export interface GuestRecord extends GuestSize {
  id: string;
  uuid: string;
  hostname: string;
  template: string;
  /** The image's default user. */
  user: string;
  /**
   * The user that its process runs as. If absent, the common user of all guests: the guest is from an earlier version,
   * or there is no helper.
   */
  uid?: number;
  /** The hardware the guest sees, whichever QEMU runs it. Absent only until an older record is first read. */
  hardware?: Hardware;
  mac: string;
  addresses: NetworkGuest['addresses'];
  directBoot?: DirectBoot;
  /** The host's CPUs reserved for a dedicated guest, assigned when it starts. */
  cpus?: number[];
  /** From the image, if it says so. */
  readiness?: Readiness;
  readyWithinSeconds?: number;
  /** The backing file of its disk; absent if an earlier version created the guest. */
  base?: string;
  /**
   * Set if its disk is based on the warm template `of`. While `asleep`, the guest has never been started and will
   * continue from the template's state.
   */
  clone?: { of: string; image: string; asleep: boolean };
  snapshots: Record<string, SnapshotInfo>;
  /** Its disk is being reverted to a snapshot. If that was interrupted, the disk may have wrong reference counts. */
  restoring?: true;
  /** A rebuild that is neither finished nor undone; see `rebuild.ts`. */
  rebuilt?: Rebuilt;
  /** Null until rules were set; until then nothing comes in. */
  policy: NetworkPolicy | null;
  run: RunRecord | null;
  /**
   * Events that the guest itself caused, newest last. Sent again after a restart, because a listener may have missed
   * them.
   */
  happenings: StoredEvent[];
}

/**
 * The state that undoing the rebuild restores. `from` is null if the rebuild created the guest. Once `back` is set, the
 * undo is under way and must complete.
 */
export interface Rebuilt {
  by: string;
  from: Former | null;
  back?: true;
}

/** The parts of a record that a rebuild changes. */
export type Former = Omit<
  GuestRecord,
  'id' | 'uuid' | 'uid' | 'hardware' | 'policy' | 'run' | 'happenings' | 'rebuilt'
>;

/** From power on to power off. */
export interface RunRecord {
  /** Epoch milliseconds; identifies the run in event keys. */
  since: number;
  /** The wait for its readiness is over. */
  booted: boolean;
  /** The service has asked it to stop, so its end is not an event. */
  asked: boolean;
  /** Its file systems are or may be frozen. They are thawed as soon as no work on the guest is in progress. */
  frozen?: boolean;
  /**
   * Number of times the disk ran out of space on the host and got space again. Part of the next shortage's event key.
   * Counted at the end, because at the beginning there is no space to save the record.
   */
  shortages?: number;
}

type StoredEvent = Omit<GuestEvent, 'at'> & { at: string };

/** Allowed directory names of guests; no guest has any other id. */
export const GUEST_ID = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
/** Only for the service. */
const RECORD_MODE = 0o600;
/** A thousand rules of a hundred networks take a fifth of this. */
const MAX_RECORD_BYTES = 16 * 1024 * 1024;
/** Kept for a service that was down; older ones were recorded long ago. */
const MAX_HAPPENINGS = 8;

const CLOSED: NetworkPolicy = { defaultIn: 'drop', defaultOut: 'accept', firewall: [], portForwards: [] };

/** One guest: its record, and its process while it runs. */
export class Guest {
  readonly directory: string;
  readonly record: GuestRecord;
  run: QemuProcess | undefined;
  /** Resolves when it is known whether the guest runs; never rejects. */
  adopting: Promise<void> | undefined;
  /** Why its process, which may be running, could not be adopted. */
  unseen: Error | undefined;
  #retired = false;
  readonly #saving = new SerialQueue();

  constructor(directory: string, record: GuestRecord) {
    this.directory = directory;
    this.record = record;
  }

  /** Reads the guest of a directory that {@link save} has written to. Throws with the path if it contains anything else. */
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

  /**
   * Changes the record, in memory immediately and on disk once this resolves. Throws {@link CapacityError} if the disk
   * is full.
   */
  save(change: Partial<GuestRecord> = {}): Promise<void> {
    Object.assign(this.record, change);
    return this.#saving.run(() => (this.#retired ? undefined : this.#write()));
  }

  /** Resolves when everything has been written; never rejects. */
  saved(): Promise<void> {
    return this.#saving.idle();
  }

  /**
   * Same as `save`, for a change that must be on disk or not made at all: if it cannot be written, the record stays as
   * before.
   */
  async saveOrKeep(change: Partial<GuestRecord>): Promise<void> {
    const before = { ...this.record };
    await this.save(change).catch(async (error) => {
      for (const name of Object.keys(change) as (keyof GuestRecord)[])
        Object.assign(this.record, { [name]: before[name] });
      // The failed write may already have been moved into place.
      await this.save().catch(() => {});
      throw error;
    });
  }

  /** Nothing is written once this resolves: the directory may soon belong to another guest with the same id. */
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

  /** Written to a temporary file and renamed, so that a reader sees the old record or the new one. */
  async #write(): Promise<void> {
    try {
      await writeDurably(this.file('record'), `${JSON.stringify(this.record, null, 2)}\n`, RECORD_MODE);
    } catch (error) {
      throw asCapacity(error);
    }
  }
}
