import { rename, rm, stat } from 'node:fs/promises';
import { syncPath } from '../../../platform/durable-file.ts';
import type { GuestSpec } from '../../driver.ts';
import { asCapacity } from '../disk/disk.ts';
import type { Former, Guest } from './guest.ts';
import type { Guests } from './guests.ts';

// A rebuild changes a disk, a seed and a record. Only the record can be changed atomically, so it decides which files
// the guest has. The files follow by renames, which can be interrupted at any point and continued.

/** For each file in a guest's directory: its name, that of its replacement, and that of its predecessor. */
const PLACES = [
  { place: 'disk', next: 'nextDisk', former: 'formerDisk' },
  { place: 'seed', next: 'nextSeed', former: 'formerSeed' },
] as const;

/** Optional parts of a record, which must be cleared so that none is left over from the previous files. */
const NOTHING = {
  base: undefined,
  clone: undefined,
  directBoot: undefined,
  readiness: undefined,
  readyWithinSeconds: undefined,
  disk: undefined,
  restoring: undefined,
};

/**
 * Gives a guest that is off new files and sets the old ones aside under `rebuildId`. Creates the guest if it does not
 * exist.
 */
export async function rebuildGuest(guests: Guests, spec: GuestSpec, rebuildId: string): Promise<void> {
  const guest = guests.find(spec.id);
  if (!guest) return guests.create(spec, rebuildId);
  const { rebuilt } = guest.record;
  if (rebuilt?.by === rebuildId && !rebuilt.back) return settleRebuild(guest);
  requireOff(guest);
  await closeRebuild(guest);
  try {
    const made = await guests.makeFiles(spec, { disk: guest.file('nextDisk'), seed: guest.file('nextSeed') });
    const rebuilt = { by: rebuildId, from: formerOf(guest.record) };
    await guest.saveOrKeep({ ...NOTHING, ...formerOf(made), rebuilt });
  } catch (error) {
    await clear(guest);
    throw asCapacity(error);
  }
  await settleRebuild(guest);
}

/** Discards the files that the rebuild has set aside. */
export async function finishRebuild(guest: Guest | undefined, rebuildId: string): Promise<void> {
  const rebuilt = guest?.record.rebuilt;
  if (guest && rebuilt?.by === rebuildId && !rebuilt.back) await closeRebuild(guest);
}

/**
 * Gives a guest that is off its former files back. Returns false, and changes nothing, if the rebuild created the
 * guest.
 */
export async function undoRebuild(guest: Guest | undefined, rebuildId: string): Promise<boolean> {
  const rebuilt = guest?.record.rebuilt;
  if (!guest || rebuilt?.by !== rebuildId) return true;
  requireOff(guest);
  if (!rebuilt.from) return false;
  await settleRebuild(guest);
  if (!rebuilt.back) {
    await guest.saveOrKeep({ ...NOTHING, ...rebuilt.from, rebuilt: { ...rebuilt, back: true } });
    await settleRebuild(guest);
  }
  return true;
}

/**
 * Makes a guest's files match its record, wherever a rebuild or its undo was interrupted, and deletes those no longer
 * needed.
 */
export async function settleRebuild(guest: Guest): Promise<void> {
  const { rebuilt } = guest.record;
  if (!rebuilt) return clear(guest);
  for (const { place, next, former } of PLACES) {
    if (rebuilt.back) await move(guest, former, place);
    else if (await exists(guest.file(next))) {
      await move(guest, place, former);
      await move(guest, next, place);
    }
  }
  await syncPath(guest.directory);
  if (rebuilt.back) await guest.save({ rebuilt: undefined });
}

/** Completes the last rebuild if it is still open, or its undo if that had begun. */
async function closeRebuild(guest: Guest): Promise<void> {
  await settleRebuild(guest);
  if (guest.record.rebuilt) await guest.saveOrKeep({ rebuilt: undefined });
  // The record is already final; files that cannot be deleted now are deleted at the next start of the service.
  await clear(guest).catch(() => {});
}

/** Deletes only files that a record without a rebuild does not refer to. */
async function clear(guest: Guest): Promise<void> {
  for (const { next, former } of PLACES)
    for (const name of [next, former]) await rm(guest.file(name), { force: true });
}

function formerOf({
  id,
  uuid,
  uid,
  hardware,
  policy,
  run,
  happenings,
  rebuilt,
  ...former
}: Guest['record']): Former {
  return former;
}

function requireOff({ id, run }: Guest): void {
  if (run) throw new Error(`${id} must be off to be rebuilt`);
}

type Name = Parameters<Guest['file']>[0];

/** The file may have been moved already. */
async function move(guest: Guest, from: Name, to: Name): Promise<void> {
  await rename(guest.file(from), guest.file(to)).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    (error) => {
      if (error.code === 'ENOENT') return false;
      throw error;
    },
  );
}
