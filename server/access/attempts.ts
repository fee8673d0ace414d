import { createHash } from 'node:crypto';
import type { Queryable } from '../db/database.ts';
import { countAttempt, forgetAttempts, returnAttempt } from '../db/queries/access/attempts.ts';
import type { Realm } from '../db/queries/access/people.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

interface AttemptLimit {
  most: number;
  windowMs: number;
}

/**
 * The number of attempts allowed in a window that begins with the first one. Unknown and known devices are
 * counted separately, so that no number of strangers can use up an owner's attempts; see `sign-in-limits.ts` and
 * `mail-limits.ts`.
 */
export const LIMITS = {
  // For devices unknown to the address: per network, per address from one network, per address from anywhere.
  sign_in_network: { most: 100, windowMs: 15 * MINUTE_MS },
  sign_in_here: { most: 10, windowMs: 15 * MINUTE_MS },
  sign_in_unknown: { most: 50, windowMs: HOUR_MS },
  sign_in_unknown_day: { most: 300, windowMs: DAY_MS },
  // For one device known to the address.
  sign_in_device: { most: 10, windowMs: 15 * MINUTE_MS },
  sign_in_device_day: { most: 50, windowMs: DAY_MS },
  // For one known device. Nothing can be guessed with a passkey, but its challenges are stored.
  passkey_device: { most: 30, windowMs: 15 * MINUTE_MS },
  // Per person, each known device separately. There are a million codes, of which three are valid at a time.
  second_factor: { most: 5, windowMs: 15 * MINUTE_MS },
  second_factor_day: { most: 30, windowMs: DAY_MS },
  // For all known devices of a person together, because each reset by mail adds a new one. Beyond it they count as
  // unknown.
  second_factor_devices: { most: 60, windowMs: DAY_MS },
  confirm: { most: 10, windowMs: 15 * MINUTE_MS },
  sign_up_network: { most: 20, windowMs: HOUR_MS },
  reset_network: { most: 20, windowMs: HOUR_MS },
  // Mails to an address requested by a known device, from one network, and from anywhere.
  mail_device: { most: 5, windowMs: DAY_MS },
  mail_here: { most: 3, windowMs: DAY_MS },
  mail_first: { most: 6, windowMs: DAY_MS },
  // After that, one at longer intervals. Links are valid for at least an hour, so a link mailed within this window is
  // still valid.
  mail_again: { most: 1, windowMs: 45 * MINUTE_MS },
  // Mails that a signed-in person requests to one address, and to all addresses together.
  mail_change: { most: 5, windowMs: DAY_MS },
  mail_change_all: { most: 20, windowMs: DAY_MS },
  invite: { most: 20, windowMs: HOUR_MS },
} as const satisfies Record<string, AttemptLimit>;

export type AttemptKind = keyof typeof LIMITS;

/** Counts attempts with secrets that can be guessed, and mails that strangers can trigger. */
export class Attempts {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #realm: Realm;

  /** Each realm counts separately, so that attempts at one sign-in lock no one out of the other. */
  constructor(db: Queryable, clock: Clock, realm: Realm = 'customer') {
    this.#db = db;
    this.#clock = clock;
    this.#realm = realm;
  }

  /**
   * Counts an attempt before it is made. Refuses it with 429 if there were too many; `besides` says what to do other
   * than wait.
   */
  async take(kind: AttemptKind, who: string, besides = ''): Promise<void> {
    const { used, endsAt } = await this.#count(kind, who);
    if (used <= LIMITS[kind].most) return;
    const seconds = Math.max(1, Math.ceil((endsAt.getTime() - this.#clock.now().getTime()) / 1000));
    throw new ApiError(
      'rate_limit_exceeded',
      `Too many attempts. Try again in ${waitText(seconds)}${besides}.`,
      {
        policy: besides === '' ? 'attempts' : 'unknown_device',
        retry_after_seconds: seconds,
      },
    );
  }

  /**
   * Counts an attempt and returns whether it is within the limit, for cases in which a refusal would reveal something.
   */
  async allows(kind: AttemptKind, who: string): Promise<boolean> {
    return (await this.#count(kind, who)).used <= LIMITS[kind].most;
  }

  /** Takes back an attempt that was not a guess. Other attempts stay counted. */
  giveBack(kind: AttemptKind, who: string): Promise<void> {
    return returnAttempt(this.#db, this.#bucketOf(kind, who), this.#clock.now());
  }

  /** Resets the count after a success, because the caller was not guessing. */
  forget(kind: AttemptKind, who: string): Promise<void> {
    return forgetAttempts(this.#db, this.#bucketOf(kind, who));
  }

  async #count(kind: AttemptKind, who: string): Promise<{ used: number; endsAt: Date }> {
    const now = this.#clock.now();
    const endsAt = new Date(now.getTime() + LIMITS[kind].windowMs);
    const row = await countAttempt(this.#db, this.#bucketOf(kind, who), { now, endsAt });
    return { used: row.used, endsAt: row.ends_at };
  }

  /** Hashed, because it is private which addresses are tried, and a sender can make an address of any length. */
  #bucketOf(kind: AttemptKind, who: string): string {
    const hash = createHash('sha256').update(who.toLowerCase()).digest('base64url');
    return `${this.#realm === 'operator' ? 'operator ' : ''}${kind} ${hash}`;
  }
}

const waitText = (seconds: number) => (seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`);
