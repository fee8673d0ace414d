import { createHash } from 'node:crypto';
import type { Queryable } from '../db/database.ts';
import { countAttempt, forgetAttempts } from '../db/queries/attempts.ts';
import type { Realm } from '../db/queries/people.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError } from '../platform/errors.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

interface AttemptLimit {
  most: number;
  windowMs: number;
}

/**
 * What is tried more often than this is not the owner. By address of a person from one network, so that a
 * stranger cannot lock them out from elsewhere; by address from anywhere, for who has many networks; by network.
 */
const LIMITS = {
  sign_in_here: { most: 10, windowMs: 15 * MINUTE_MS },
  sign_in_anywhere: { most: 100, windowMs: HOUR_MS },
  sign_in_network: { most: 100, windowMs: 15 * MINUTE_MS },
  // A code has a million forms, and three of them are right at a time.
  second_factor: { most: 5, windowMs: 15 * MINUTE_MS },
  second_factor_day: { most: 30, windowMs: 24 * HOUR_MS },
  confirm: { most: 10, windowMs: 15 * MINUTE_MS },
  sign_up_network: { most: 20, windowMs: HOUR_MS },
  reset_network: { most: 20, windowMs: HOUR_MS },
  // Mails that one address gets because others ask for them.
  mail_to: { most: 3, windowMs: HOUR_MS },
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

  /** Counts an attempt before it is made; refused with 429 where there were too many. */
  async take(kind: AttemptKind, who: string): Promise<void> {
    const { used, endsAt } = await this.#count(kind, who);
    if (used <= LIMITS[kind].most) return;
    const seconds = Math.max(1, Math.ceil((endsAt.getTime() - this.#clock.now().getTime()) / 1000));
    throw new ApiError('rate_limit_exceeded', `Too many attempts. Try again in ${waitText(seconds)}.`, {
      policy: 'attempts',
      retry_after_seconds: seconds,
    });
  }

  /** The same where a refusal would tell something; whether it is still within its limit. */
  async allows(kind: AttemptKind, who: string): Promise<boolean> {
    return (await this.#count(kind, who)).used <= LIMITS[kind].most;
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
