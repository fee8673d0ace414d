import type { SimulatedGuest } from '../model/guest.ts';
import type { Entry } from './entry.ts';
import type { InsideState } from './state.ts';

export type { Entry, InsideState, SimulatedGuest };

/** Where the inside of guests is kept, shared by every process that serves them. It goes with the guest. */
export interface SystemStore {
  /**
   * The guest's private host key, OpenSSH format; undefined without a guest. Where it has no inside yet, `fresh` is
   * stored; of two processes, the first one's stays.
   */
  hostKey(id: string, fresh: () => { hostKey: string; inside: InsideState }): Promise<string | undefined>;
  /** The guest and its inside at this moment; undefined when there is none. */
  read(id: string): Promise<{ guest: SimulatedGuest; inside: InsideState | null } | undefined>;
  /** Lets `work` alter the inside in place, exclusively, and returns it as stored. */
  change(id: string, work: (inside: InsideState) => void): Promise<InsideState | undefined>;
  /** What differs from the image, by path, without contents. */
  readEntries(id: string): Promise<Map<string, Entry>>;
  /** The kept content of a file; undefined when only its size is known. */
  readContent(id: string, path: string): Promise<Buffer | undefined>;
  /** Writes one entry; `content` null keeps the size alone, undefined leaves the content as it is. */
  writeEntry(id: string, path: string, entry: Entry, content?: Buffer | null): Promise<void>;
  /** Forgets entries of these paths. */
  deleteEntries(id: string, paths: string[]): Promise<void>;
  /** Gives an entry another path, in place of what was there. */
  moveEntry(id: string, from: string, to: string): Promise<void>;
  /** Bytes of all files that differ from the image, and whether `path` is among them. */
  storedBytes(id: string, path: string): Promise<{ bytes: number; shadowed: boolean }>;
}
