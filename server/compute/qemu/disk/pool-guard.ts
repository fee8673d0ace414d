import type { Clock } from '../../../platform/clock.ts';
import type { Guest } from '../guest/guest.ts';
import { allocatedBytes } from './disk.ts';
import type { Pool } from './pool.ts';

/** A modern disk takes about this long to fill a reserve of one gigabyte. */
const LOOK_EVERY_MS = 1_000;

export interface GuardParts {
  clock: Clock;
  pool: Pool;
  guests(): Guest[];
}

/**
 * Protects the reserve of the file system that guests share with the database. Once guests have reached it, any guest
 * whose disk grows is paused, as if the file system were full, and resumes when there is space; the others keep
 * running. Once half of it is used, all guests are paused.
 */
export async function guardPool({ clock, pool, guests }: GuardParts, signal: AbortSignal): Promise<void> {
  let before = new Map<Guest, number>();
  while (!signal.aborted) {
    // If a look fails, the next one tries again.
    before = await look(pool, guests, before).catch(() => before);
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
  }
}

/** Pauses guests that must not grow further. Returns the disk usage of each guest while the reserve is near. */
async function look(
  pool: Pool,
  guests: GuardParts['guests'],
  before: Map<Guest, number>,
): Promise<Map<Guest, number>> {
  const [room, reserved] = [await pool.roomBytes(), await pool.reservedBytes()];
  const now = new Map<Guest, number>();
  if (reserved === 0 || room > reserved) return now;
  const running = guests().filter(({ run }) => run && !run.ending);
  await Promise.all(
    running.map(async (guest) => {
      const bytes = await allocatedBytes(guest.file('disk'));
      now.set(guest, bytes);
      const grew = bytes > (before.get(guest) ?? bytes);
      if (room <= 0 && (grew || room <= -reserved / 2)) await guest.run?.standStill();
    }),
  );
  return now;
}
