import type { Clock } from '../../platform/clock.ts';
import type { GuestEvent } from '../driver.ts';
import { happenings } from './guest-os/model/happenings.ts';
import type { SimulatorStore } from './store.ts';

/** Delay until an event is noticed. One query checks all guests. */
const LOOK_EVERY_MS = 10_000;
/** A service that was down for less than this misses nothing; events already reported have the same key again. */
const LOOK_BACK_MS = 3_600_000;

/** Calls `listener` with events that guests cause themselves, until `signal` aborts. Never rejects. */
export async function watchGuests(
  store: SimulatorStore,
  clock: Clock,
  listener: (event: GuestEvent) => void,
  signal: AbortSignal,
): Promise<void> {
  let from = clock.now().getTime() - LOOK_BACK_MS;
  while (!signal.aborted) {
    try {
      const guests = await store.runs();
      const to = clock.now().getTime();
      for (const guest of guests) {
        for (const event of happenings(guest.id, guest, from, to)) if (!signal.aborted) listener(event);
      }
      from = to;
    } catch {
      // The database is unavailable, which is reported elsewhere; the next look covers this time span too.
    }
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
  }
}
