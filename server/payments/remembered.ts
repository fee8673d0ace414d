const HOUR_MS = 3_600_000;
/** Stripe knows for a day what it was asked for under an id. The rest of the day is for clocks that differ. */
const KNOWN_MS = 20 * HOUR_MS;
const SKEW_MS = 4 * HOUR_MS;

/**
 * Returns whether a provider still knows what it was asked for at `askedAt`, so that asking again under the same id does not
 * repeat it. If the clock was set back since then by hours, nobody knows how long ago that was.
 */
export function isRemembered(askedAt: Date, now: Date): boolean {
  const age = now.getTime() - askedAt.getTime();
  return age < KNOWN_MS && age >= -SKEW_MS;
}
