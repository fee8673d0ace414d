import type { Clock } from '../../platform/clock.ts';
import { allocatedBytes } from './disk.ts';
import type { Guest } from './guest.ts';
import type { Pool } from './pool.ts';

/** A disk of today fills a reserve of a gigabyte in about as long. */
const LOOK_EVERY_MS = 1_000;

export interface GuardParts {
  clock: Clock;
  pool: Pool;
  /** All guests there are. */
  guests(): Guest[];
}

/**
 * Keeps guests out of the reserve of the file system that they share with the database: once they have come to it, one
 * whose disk grows stands still, as if the file system were full, and goes on when there is room. Others run on.
 * Where they have taken half of it all stand still.
 */
export async function guardPool({ clock, pool, guests }: GuardParts, signal: AbortSignal): Promise<void> {
  let before = new Map<Guest, number>();
  while (!signal.aborted) {
    // What cannot be seen now is looked at again.
    before = await look(pool, guests, before).catch(() => before);
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
  }
}

/** What each guest's disk takes, while the reserve is near; those that must not grow any more were stopped. */
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
