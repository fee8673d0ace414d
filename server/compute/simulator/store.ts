import type { Resources } from '../driver.ts';
import type { Guest } from './guest.ts';
import type { InsideState, SystemStore } from './guest-os/system/store.ts';

export type { Guest, InsideState, Resources };

/** The simulated engine's storage, shared by all processes that use it. */
export interface SimulatorStore {
  readonly insides: SystemStore;
  readGuest(id: string): Promise<Guest | undefined>;
  /** Same as `readGuest`, together with the hosts that cannot be reached. */
  seeGuest(id: string): Promise<{ guest: Guest; lost: ReadonlySet<string> } | undefined>;
  /** Stores a new guest; an existing one stays unchanged. Returns whether it is new. */
  insertGuest(id: string, guest: Guest): Promise<boolean>;
  /** Deletes the guest and everything stored for it. Succeeds if it does not exist. */
  deleteGuest(id: string): Promise<void>;
  /**
   * Lets `work` alter the guest and its disks in place, stores them, and returns the result of `work`; undefined if
   * there is no such guest. The guest is locked during that time, and unchanged if `work` throws. `lost` are the hosts
   * that cannot be reached.
   */
  changeGuest<T extends object>(
    id: string,
    work: (guest: Guest, disks: Disks, lost: ReadonlySet<string>) => T | Promise<T>,
  ): Promise<T | undefined>;
  /** Returns a summary of every guest that is cheap to read, ordered by id. */
  glances(): Promise<Glance[]>;
  countGuests(): Promise<number>;
  /** Returns the parts of these guests that readings are computed from. Leaves out guests whose host cannot be reached. */
  meteredGuests(ids: string[]): Promise<MeteredGuest[]>;
  /** Returns the runs of all guests, on reachable hosts, that are on or powered off on their own. */
  runs(): Promise<GuestRun[]>;
  /** Returns the runs of these guests. Leaves out guests that are gone or whose host cannot be reached. */
  runsOf(ids: string[]): Promise<GuestRun[]>;
  usedResources(hostId: string): Promise<Resources>;
  lostHosts(): Promise<ReadonlySet<string>>;
  /** Makes a host unreachable, or reachable again. */
  setLost(hostId: string, lost: boolean): Promise<void>;
}

export type Glance = { id: string } & Pick<Guest, 'host' | 'hostname' | 'run'>;
export type GuestRun = { id: string } & Pick<Guest, 'run'>;

export interface MeteredGuest extends Pick<Guest, 'hostname' | 'run' | 'before' | 'vcpu' | 'ramMb'> {
  id: string;
  /** Changes made to its units from the inside, or null if there were none. */
  units: InsideState['units'] | null;
}

/** The data of a kept disk apart from its files. */
export interface KeptDisk
  extends Pick<Guest, 'template' | 'authorizedKeys' | 'initialPassword' | 'passwords'> {
  bytes: number;
}

/** The disk of a guest that is being changed, and kept earlier ones by name. */
export interface Disks {
  /** Keeps the disk's current files together with `kept`. An existing disk of that name is kept. */
  keep(name: string, kept: KeptDisk): Promise<void>;
  /**
   * Replaces the disk's files with those of a kept one and returns its data. Returns undefined, and does nothing, if
   * there is none.
   */
  takeBack(name: string): Promise<KeptDisk | undefined>;
  empty(): Promise<void>;
  /** Deletes a kept disk. Succeeds if it does not exist. */
  drop(name: string): Promise<void>;
}
