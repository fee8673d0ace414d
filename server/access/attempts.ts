import { createHash } from 'node:crypto';
import type { Queryable } from '../db/database.ts';
import { countAttempt, forgetAttempts, returnAttempt } from '../db/queries/attempts.ts';
import type { Realm } from '../db/queries/people.ts';
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
 * How often something may be tried in a window that begins with the first attempt. Strangers and known devices are counted
 * apart, so that no number of strangers can use up what an owner may do; see `sign-in-limits.ts` and `mail-limits.ts`.
 */
export const LIMITS = {
  // Of devices that the address does not know: by network, by address from one network, by address from anywhere.
  sign_in_network: { most: 100, windowMs: 15 * MINUTE_MS },
  sign_in_here: { most: 10, windowMs: 15 * MINUTE_MS },
  sign_in_unknown: { most: 50, windowMs: HOUR_MS },
  sign_in_unknown_day: { most: 300, windowMs: DAY_MS },
  // Of one device that it knows.
  sign_in_device: { most: 10, windowMs: 15 * MINUTE_MS },
  sign_in_device_day: { most: 50, windowMs: DAY_MS },
  // With a passkey nothing can be guessed, but its challenges are stored. Of one known device.
  passkey_device: { most: 30, windowMs: 15 * MINUTE_MS },
  // A code has a million forms, and three of them are right at a time. By person, each known device apart.
  second_factor: { most: 5, windowMs: 15 * MINUTE_MS },
  second_factor_day: { most: 30, windowMs: DAY_MS },
  // Of all known devices of a person together, because each reset by mail makes a new one. Beyond it they are strangers.
  second_factor_devices: { most: 60, windowMs: DAY_MS },
  confirm: { most: 10, windowMs: 15 * MINUTE_MS },
  sign_up_network: { most: 20, windowMs: HOUR_MS },
  reset_network: { most: 20, windowMs: HOUR_MS },
  // Mails to an address that were asked for by a known device, from one network, and from anywhere.
  mail_device: { most: 5, windowMs: DAY_MS },
  mail_here: { most: 3, windowMs: DAY_MS },
  mail_first: { most: 6, windowMs: DAY_MS },
  // Afterwards one in a while. Links are good for an hour at least, so that one that was mailed in this time is still good.
  mail_again: { most: 1, windowMs: 45 * MINUTE_MS },
  // Mails to an address that one person asks for who has signed in, and all of them together.
  mail_change: { most: 5, windowMs: DAY_MS },
  mail_change_all: { most: 20, windowMs: DAY_MS },
  invite: { most: 20, windowMs: HOUR_MS },
} as const satisfies Record<string, AttemptLimit>;

export type AttemptKind = keyof typeof LIMITS;

/** Counts what is tried with secrets that can be guessed, and mails that strangers can cause. */
export class Attempts {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #realm: Realm;

  /** Attempts at one sign-in do not lock anyone out of the other. */
  constructor(db: Queryable, clock: Clock, realm: Realm = 'customer') {
    this.#db = db;
    this.#clock = clock;
    this.#realm = realm;
  }

  /** Counts an attempt before it is made; refuses it with 429 if there were too many, and says what to do besides waiting. */
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

  /** The same where a refusal would tell something; whether it is still within its limit. */
  async allows(kind: AttemptKind, who: string): Promise<boolean> {
    return (await this.#count(kind, who)).used <= LIMITS[kind].most;
  }

  /** Takes an attempt back that was not a guess. Those of others stay counted. */
  giveBack(kind: AttemptKind, who: string): Promise<void> {
    return returnAttempt(this.#db, this.#bucketOf(kind, who), this.#clock.now());
  }

  /** Forgets what was counted: who succeeded was no guesser. */
  forget(kind: AttemptKind, who: string): Promise<void> {
    return forgetAttempts(this.#db, this.#bucketOf(kind, who));
  }

  async #count(kind: AttemptKind, who: string): Promise<{ used: number; endsAt: Date }> {
    const now = this.#clock.now();
    const endsAt = new Date(now.getTime() + LIMITS[kind].windowMs);
    const row = await countAttempt(this.#db, this.#bucketOf(kind, who), { now, endsAt });
    return { used: row.used, endsAt: row.ends_at };
  }

  /** By a hash: which addresses are tried is private, and an address may be as long as its sender likes. */
  #bucketOf(kind: AttemptKind, who: string): string {
    const hash = createHash('sha256').update(who.toLowerCase()).digest('base64url');
    return `${this.#realm === 'operator' ? 'operator ' : ''}${kind} ${hash}`;
  }
}

const waitText = (seconds: number) => (seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} minutes`);
