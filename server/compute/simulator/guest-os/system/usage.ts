import type { SimulatedGuest } from '../model/guest.ts';
import type { SystemStore } from './store.ts';
import { BIG_LOG, bigLogBytes, troubled } from './trouble.ts';

/** Returns the bytes on the guest's disk in addition to its image: what was written inside, and the forgotten log. */
export async function bytesInside(store: SystemStore, id: string, guest: SimulatedGuest): Promise<number> {
  const { bytes, shadowed } = await store.storedBytes(id, BIG_LOG);
  return troubled(guest.hostname, 'diskFull') && !shadowed ? bytes + bigLogBytes(guest) : bytes;
}
