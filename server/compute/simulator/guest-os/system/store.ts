import type { SimulatedGuest } from '../model/guest.ts';
import type { Entry } from './entry.ts';
import type { InsideState } from './state.ts';

export type { Entry, InsideState, SimulatedGuest };

/** Stores the inside of guests, shared by all processes that serve them. Deleted together with the guest. */
export interface SystemStore {
  /**
   * Returns the guest's private host key in OpenSSH format; undefined if there is no such guest. If it has no inside
   * yet, `fresh` is stored; if two processes do that, the first one wins.
   */
  hostKey(id: string, fresh: () => { hostKey: string; inside: InsideState }): Promise<string | undefined>;
  /** Returns the current guest and its inside; undefined if there is none. */
  read(id: string): Promise<{ guest: SimulatedGuest; inside: InsideState | null } | undefined>;
  /** Lets `work` alter the inside in place, exclusively, and returns the stored result. */
  change(id: string, work: (inside: InsideState) => void): Promise<InsideState | undefined>;
  /** Returns the entries that differ from the image, by path, without contents. */
  readEntries(id: string): Promise<Map<string, Entry>>;
  /** Returns the stored content of a file; undefined if only its size is stored. */
  readContent(id: string, path: string): Promise<Buffer | undefined>;
  /** Writes one entry. If `content` is null, only the size is stored; if undefined, the content stays as it is. */
  writeEntry(id: string, path: string, entry: Entry, content?: Buffer | null): Promise<void>;
  deleteEntries(id: string, paths: string[]): Promise<void>;
  /** Moves an entry to another path, replacing what was there. */
  moveEntry(id: string, from: string, to: string): Promise<void>;
  /** Returns the total size of the files that differ from the image, and whether `path` is among them. */
  storedBytes(id: string, path: string): Promise<{ bytes: number; shadowed: boolean }>;
}
