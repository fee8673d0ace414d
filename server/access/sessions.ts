import type { Queryable } from '../db/database.ts';
import { findSessionByHash, type SessionStage, touchSession } from '../db/queries/sessions.ts';
import type { Clock } from '../platform/clock.ts';
import type { SecretBox } from '../platform/secrets.ts';
import type { Role } from './roles.ts';
import { hashToken, isIssuedToken } from './secret-token.ts';

/** How long a session lasts at the most, however much it is used. */
export const SESSION_DAYS = 30;
/** How exactly it is known when a session was last used: a write for each request would be too many. */
const SEEN_MS = 60_000;

/** A session that was presented and is not over. */
export interface ActiveSession {
  id: string;
  personId: string;
  stage: SessionStage;
  /** The account that it shows and its person's role there; null where there is none, or it was closed. */
  place: { accountId: string; role: Role; suspended: boolean } | null;
  /** When its holder last proved to be its person. */
  confirmedAt: Date | null;
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

  async find(token: string): Promise<ActiveSession | undefined> {
    if (!isIssuedToken(token, this.#secrets)) return undefined;
    const now = this.#clock.now();
    const row = await findSessionByHash(this.#db, hashToken(token), now);
    if (!row) return undefined;
    if (now.getTime() - row.last_seen_at.getTime() >= SEEN_MS) await touchSession(this.#db, row.id, now);
    const { id, person_id, stage, account_id, role, account_status, confirmed_at } = row;
    const place =
      account_id && role && account_status
        ? { accountId: account_id, role, suspended: account_status !== 'active' }
        : null;
    return { id, personId: person_id, stage, place, confirmedAt: confirmed_at };
  }
}
