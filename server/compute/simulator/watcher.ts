import type { Clock } from '../../platform/clock.ts';
import { happenings } from '../../simulated-guest/model/happenings.ts';
import type { GuestEvent } from '../driver.ts';
import type { SimulatorStore } from './store.ts';

/** How late an event may be noticed; one query, whatever the number of guests. */
const LOOK_EVERY_MS = 10_000;
/** A service that was away for less than this misses nothing; what it reported before has the same key. */
const LOOK_BACK_MS = 3_600_000;

/** Calls `listener` with what guests do by themselves, until `signal` aborts. Never rejects. */
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
      // The database is away, which others report; the next look covers this span too.
    }
    await clock.sleep(LOOK_EVERY_MS, signal).catch(() => {});
  }
}
