import type { RealmRules } from '../../access/realms.ts';
import { generateToken, hashToken } from '../../access/secret-token.ts';
import type { Transaction } from '../../db/database.ts';
import { listAccountsOf } from '../../db/queries/access/memberships.ts';
import { deleteSessionsBeyond, insertSession, type SessionStage } from '../../db/queries/access/sessions.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';

/** The most sessions of one person in each stage; the oldest sign-in is ended first. */
const MOST_SESSIONS = 100;
/** Time to find the phone with the second factor. */
const SECOND_FACTOR_MS = 10 * 60_000;

export interface NewSession {
  personId: string;
  stage: SessionStage;
  ip: string;
  userAgent: string;
  /** The account to show; defaults to the person's first. */
  accountId?: string;
}

/**
 * Starts a session, always a new one with its own secret: a browser's session from before the person proved who they
 * are is never promoted. The secret is only returned here.
 */
export async function startSession(
  tx: Transaction,
  { clock, secrets, realm }: { clock: Clock; secrets: SecretBox; realm: RealmRules },
  { personId, stage, ip, userAgent, accountId }: NewSession,
): Promise<{ token: string; id: string; accountId: string | null }> {
  // Whatever depends on the ended sessions checks its rights on its own, see `consoles/registry.ts`. The stages are
  // limited separately: someone who only knows the password must not sign the owner out.
  await deleteSessionsBeyond(tx, { personId, stage, most: MOST_SESSIONS - 1 });
  const token = generateToken(secrets);
  const now = clock.now();
  const id = newId('ses', clock);
  const shown = accountId ?? (await listAccountsOf(tx, personId))[0]?.account_id ?? null;
  const lifetimeMs = stage === 'signed_in' ? realm.sessionSeconds * 1000 : SECOND_FACTOR_MS;
  await insertSession(
    tx,
    {
      id,
      person_id: personId,
      account_id: shown,
      stage,
      ip,
      user_agent: userAgent,
      created_at: now,
      last_seen_at: now,
      expires_at: new Date(now.getTime() + lifetimeMs),
      idle_seconds: realm.idleSeconds,
      confirmed_at: stage === 'signed_in' ? now : null,
    },
    hashToken(token),
  );
  return { token, id, accountId: shown };
}
