import type { Queryable } from '../db/database.ts';
import { findSessionByHash, type SessionStage, touchSession } from '../db/queries/sessions.ts';
import type { Clock } from '../platform/clock.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { RealmRules } from './realms.ts';
import type { Role } from './roles.ts';
import { hashToken, isIssuedToken } from './secret-token.ts';

/** How exactly it is known when a session was last used: a write for each request would be too many. */
const SEEN_MS = 60_000;

/** A session that was presented and is not over. */
export interface ActiveSession {
  id: string;
  personId: string;
  email: string;
  stage: SessionStage;
  /** The account that it shows and its person's role there; null where there is none, or it was closed. */
  place: { accountId: string; role: Role; suspended: boolean } | null;
  /** When its holder last proved to be its person. */
  confirmedAt: Date | null;
  /** Whether its person can sign in with two factors: by a passkey, or a password and an authenticator app. */
  isEnrolled: boolean;
}

/**
 * Finds the session that a cookie names. Asked of the database each time: a session that was revoked, or a role that
 * was taken away, is good for nothing from the next request on.
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

  /** The session of somebody of this realm; that of another is none. */
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
