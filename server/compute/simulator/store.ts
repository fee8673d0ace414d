import type { InsideState, SystemStore } from '../../simulated-guest/system/store.ts';
import type { Resources } from '../driver.ts';
import type { Guest } from './guest.ts';

export type { Guest, InsideState, Resources };

/** The simulated engine's memory, shared by every process that has it. */
export interface SimulatorStore {
  /** What is inside the guests. */
  readonly insides: SystemStore;
  /** The guest as stored, or undefined. */
  readGuest(id: string): Promise<Guest | undefined>;
  /** The same, with the hosts that cannot be reached. */
  seeGuest(id: string): Promise<{ guest: Guest; lost: ReadonlySet<string> } | undefined>;
  /** Stores a new guest; one that exists stays as it is. Whether it is new. */
  insertGuest(id: string, guest: Guest): Promise<boolean>;
  /** Forgets the guest with all that is kept of it; an absent one is a success. */
  deleteGuest(id: string): Promise<void>;
  /**
   * Lets `work` alter the guest in place, and its disks, stores it, and returns what `work` returned; undefined when there
   * is no such guest. It is locked meanwhile; a throw leaves it as it was. `lost` are the hosts that cannot be reached.
   */
  changeGuest<T extends object>(
    id: string,
    work: (guest: Guest, disks: Disks, lost: ReadonlySet<string>) => T | Promise<T>,
  ): Promise<T | undefined>;
  /** What is cheap to know of every guest, in the order of ids. */
  glances(): Promise<Glance[]>;
  /** How many guests there are. */
  countGuests(): Promise<number>;
  /** The parts of the given guests that readings are computed from; none of one whose host cannot be reached. */
  meteredGuests(ids: string[]): Promise<MeteredGuest[]>;
  /** The runs of all guests that are on, or went off by themselves, on hosts that can be reached. */
  runs(): Promise<GuestRun[]>;
  /** The runs of these guests; one that has gone, or whose host cannot be reached, is left out. */
  runsOf(ids: string[]): Promise<GuestRun[]>;
  /** What all guests of a host have together. */
  usedResources(hostId: string): Promise<Resources>;
  /** Hosts that cannot be reached. */
  lostHosts(): Promise<ReadonlySet<string>>;
  /** Makes a host one that cannot be reached, or can be again. */
  setLost(hostId: string, lost: boolean): Promise<void>;
}

export type Glance = { id: string } & Pick<Guest, 'host' | 'hostname' | 'run'>;
export type GuestRun = { id: string } & Pick<Guest, 'run'>;

export interface MeteredGuest extends Pick<Guest, 'hostname' | 'run' | 'before' | 'vcpu' | 'ramMb'> {
  id: string;
  /** What was done to its units from the inside, if anything ever was. */
  units: InsideState['units'] | null;
}

/** What a kept disk holds beside its files. */
export interface KeptDisk
  extends Pick<Guest, 'template' | 'authorizedKeys' | 'initialPassword' | 'passwords'> {
  bytes: number;
}

/** The disk of a guest that is being changed, and others that it once had, by name. */
export interface Disks {
  /** Keeps the disk's files as they are, and `kept`; a disk of that name is left as it is. */
  keep(name: string, kept: KeptDisk): Promise<void>;
  /** Replaces the disk's files by those of a kept one and returns what it holds; undefined, and nothing done, without it. */
  takeBack(name: string): Promise<KeptDisk | undefined>;
  /** Removes every file from the disk. */
  empty(): Promise<void>;
  /** Forgets a kept disk; an absent one is a success. */
  drop(name: string): Promise<void>;
}
