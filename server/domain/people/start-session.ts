import type { RealmRules } from '../../access/realms.ts';
import { generateToken, hashToken } from '../../access/secret-token.ts';
import type { Transaction } from '../../db/database.ts';
import { listAccountsOf } from '../../db/queries/memberships.ts';
import { deleteSessionsBeyond, insertSession, type SessionStage } from '../../db/queries/sessions.ts';
import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';

/** Browsers of one person at once in each stage; the longest signed in goes first. */
const MOST_SESSIONS = 100;
/** Time to find the telephone with the second factor. */
const SECOND_FACTOR_MS = 10 * 60_000;

export interface NewSession {
  personId: string;
  stage: SessionStage;
  ip: string;
  userAgent: string;
  /** The account to show; the first of the person's when absent. */
  accountId?: string;
}

/**
 * Begins a session, always a new one with a secret of its own: what a browser brought before a person proved who they
 * are is never promoted. The secret is returned here and nowhere else.
 */
export async function startSession(
  tx: Transaction,
  { clock, secrets, realm }: { clock: Clock; secrets: SecretBox; realm: RealmRules },
  { personId, stage, ip, userAgent, accountId }: NewSession,
): Promise<{ token: string; id: string; accountId: string | null }> {
  // The rights of what ends so are looked at again by themselves, see `consoles/registry.ts`.
  // Each stage by itself: someone who knows the password only must not sign the owner out.
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
