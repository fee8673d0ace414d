import type { Guest } from '../../compute/simulator/guest.ts';
import type { Queryable } from '../../db/database.ts';
import { storedBytes } from './store.ts';
import { BIG_LOG, bigLogBytes, troubled } from './trouble.ts';

/** Bytes on the guest's disk beyond its image: what was written inside, and a log that was forgotten there. */
export async function bytesInside(db: Queryable, id: string, guest: Guest): Promise<number> {
  const { bytes, shadowed } = await storedBytes(db, id, BIG_LOG);
  return troubled(guest.hostname, 'diskFull') && !shadowed ? bytes + bigLogBytes(guest) : bytes;
}
