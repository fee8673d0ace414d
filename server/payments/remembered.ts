const HOUR_MS = 3_600_000;
/** Stripe remembers idempotency keys for a day. The rest of the day allows for clocks that differ. */
const KNOWN_MS = 20 * HOUR_MS;
const SKEW_MS = 4 * HOUR_MS;

/**
 * Returns whether a provider still remembers a request made at `askedAt`, so that repeating it with the same id has no
 * second effect. If the clock has been set back by hours since then, the age of the request is unknown.
 */
export function isRemembered(askedAt: Date, now: Date): boolean {
  const age = now.getTime() - askedAt.getTime();
  return age < KNOWN_MS && age >= -SKEW_MS;
}
