import type { GuestAndPolicy } from '../../../helpers/host/shapes.ts';
import { type Entry, reassertBatch } from './batch.ts';
import type { Card } from './card.ts';
import { checkBatch } from './commands.ts';
import { checkFree } from './consistency.ts';

// One batch rebuilds the rules of all guests and fails as a whole, so a guest that would make it fail is left out.

/**
 * Returns the entries of the guests that are within their allowance, by id. If two guests want the same address, the
 * first one gets it. `refused` is called for each of the others.
 */
export function acceptable(
  guests: GuestAndPolicy[],
  entryOf: (given: GuestAndPolicy) => Entry,
  reserved: Set<string>,
  refused: (id: string, error: Error) => void,
): Map<string, Entry> {
  const entries = new Map<string, Entry>();
  const owners = new Map<string, Card>();
  for (const given of guests) {
    try {
      const entry = entryOf(given);
      const rivals = entry.card.addresses.flatMap((address) => owners.get(address) ?? []);
      checkFree(entry.card, reserved, rivals);
      for (const address of entry.card.addresses) owners.set(address, entry.card);
      entries.set(entry.id, entry);
    } catch (error) {
      refused(given.guest.id, error as Error);
    }
  }
  return entries;
}

/** Builds the table of these guests with `make`, except for those that nft refuses. Returns the guests it then holds. */
export async function makeSound(
  uplink: string,
  entries: Map<string, Entry>,
  make: (some: Entry[]) => Promise<void>,
  refused: (id: string, error: Error) => void,
): Promise<Map<string, Entry>> {
  try {
    await make([...entries.values()]);
    return entries;
  } catch (error) {
    const sound = await soundEntries(uplink, [...entries.values()]);
    // All entries are valid, so the failure had another cause.
    if (sound.length === entries.size) throw error;
    await make(sound);
    const held = new Map(sound.map((entry) => [entry.id, entry]));
    for (const id of entries.keys()) if (!held.has(id)) refused(id, error as Error);
    return held;
  }
}

/** Returns the entries that the kernel accepts, by splitting a refused batch in halves. Changes nothing. */
export async function soundEntries(uplink: string, entries: Entry[]): Promise<Entry[]> {
  // The table without guests must be accepted, otherwise the search would be pointless.
  await checkBatch(reassertBatch(uplink, [], new Map()));
  const soundOf = async (some: Entry[]): Promise<Entry[]> => {
    try {
      await checkBatch(reassertBatch(uplink, some, new Map()));
      return some;
    } catch {
      if (some.length === 1) return [];
      const middle = some.length >> 1;
      return [...(await soundOf(some.slice(0, middle))), ...(await soundOf(some.slice(middle)))];
    }
  };
  return soundOf(entries);
}
