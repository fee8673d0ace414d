import type { Queryable } from '../db/database.ts';
import { findSessionByHash, type SessionStage, touchSession } from '../db/queries/access/sessions.ts';
import type { Clock } from '../platform/clock.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { RealmRules } from './realms.ts';
import type { Role } from './roles.ts';
import { hashToken, isIssuedToken } from './secret-token.ts';

/** Precision of a session's last use: a write per request would be too many. */
const SEEN_MS = 60_000;

/** A presented session that has not ended. */
export interface ActiveSession {
  id: string;
  personId: string;
  email: string;
  stage: SessionStage;
  /** The account that it shows, with its person's role; null if there is none or it was closed. */
  place: { accountId: string; role: Role; suspended: boolean } | null;
  /** When its holder last proved their identity. */
  confirmedAt: Date | null;
  /** True if its person can sign in with two factors: with a passkey, or with a password and an authenticator app. */
  isEnrolled: boolean;
}

/**
 * Finds the session for a cookie. Queries the database each time, so that a revoked session or a removed role loses its
 * effect with the next request.
 */
export class Sessions {
  readonly #db: Queryable;
  readonly #clock: Clock;
  readonly #secrets: SecretBox;

  constructor(db: Queryable, clock: Clock, secrets: SecretBox) {
    this.#db = db;
    this.#clock = clock;
    this.#secrets = secrets;
  }

  /** Returns the session if its person belongs to this realm; sessions of another realm do not count. */
  async find(token: string, { realm }: RealmRules): Promise<ActiveSession | undefined> {
    if (!isIssuedToken(token, this.#secrets)) return undefined;
    const now = this.#clock.now();
    const row = await findSessionByHash(this.#db, hashToken(token), realm, now);
    if (!row) return undefined;
    if (now.getTime() - row.last_seen_at.getTime() >= SEEN_MS) await touchSession(this.#db, row.id, now);
    const { id, person_id, email, stage, account_id, role, account_status, confirmed_at } = row;
    const place =
      account_id && role && account_status
        ? { accountId: account_id, role, suspended: account_status !== 'active' }
        : null;
    return {
      id,
      personId: person_id,
      email,
      stage,
      place,
      confirmedAt: confirmed_at,
      isEnrolled: row.is_enrolled,
    };
  }
}
