import { type Entry, reassertBatch } from './batch.ts';
import type { Card } from './card.ts';
import { applyBatch } from './commands.ts';
import { checkFree } from './consistency.ts';
import type { GuestAndPolicy } from './shapes.ts';

// One batch rebuilds the rules of all guests, and fails as a whole: so a guest that would fail it is left out.

/**
 * Entries of those of the guests that may have what they are to have, by their ids. Of two that are to have one address
 * the first does. `refused` hears of each of the others.
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

/** Makes the table of these guests by `make`, without those that nft refuses; returns whom it holds then. */
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
    // With all of them in order it was something else.
    if (sound.length === entries.size) throw error;
    await make(sound);
    const held = new Map(sound.map((entry) => [entry.id, entry]));
    for (const id of entries.keys()) if (!held.has(id)) refused(id, error as Error);
    return held;
  }
}

/** Those of the entries that the kernel takes: of a batch that it refuses, those of its halves. Changes nothing. */
export async function soundEntries(uplink: string, entries: Entry[]): Promise<Entry[]> {
  // Without any guest it must do, or there is nothing to be found.
  await applyBatch(reassertBatch(uplink, [], new Map()), '-c');
  const soundOf = async (some: Entry[]): Promise<Entry[]> => {
    try {
      await applyBatch(reassertBatch(uplink, some, new Map()), '-c');
      return some;
    } catch {
      if (some.length === 1) return [];
      const middle = some.length >> 1;
      return [...(await soundOf(some.slice(0, middle))), ...(await soundOf(some.slice(middle)))];
    }
  };
  return soundOf(entries);
}
