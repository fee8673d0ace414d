import { generateToken, hashToken, isIssuedToken } from '../../access/secret-token.ts';
import type { Queryable, Transaction } from '../../db/database.ts';
import type { Role } from '../../db/enums.ts';
import {
  findMailToken,
  insertMailToken,
  type MailTokenRow,
  type TokenPurpose,
  takeMailToken,
} from '../../db/queries/access/mail-tokens.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';

const HOUR_MS = 3_600_000;

/** The lifetime of a link: the more it gives access to, the shorter. */
const LIFETIME_MS: Readonly<Record<TokenPurpose, number>> = {
  verify_email: 24 * HOUR_MS,
  reset_password: HOUR_MS,
  invitation: 7 * 24 * HOUR_MS,
  sign_in_link: 24 * HOUR_MS,
  change_email: HOUR_MS,
};

export interface NewMailToken {
  purpose: TokenPurpose;
  personId?: string;
  email: string;
  /** Only for an invitation. */
  place?: { accountId: string; role: Role };
}

/** Creates the secret of a link. It is only returned here: the database stores a hash. */
export async function issueMailToken(
  tx: Transaction,
  { clock, secrets }: { clock: Clock; secrets: SecretBox },
  { purpose, personId, email, place }: NewMailToken,
): Promise<{ token: string; id: string; expiresAt: Date }> {
  const token = generateToken(secrets);
  const now = clock.now();
  const expiresAt = new Date(now.getTime() + LIFETIME_MS[purpose]);
  const id = newId('mtk', clock);
  const row = {
    id,
    purpose,
    person_id: personId ?? null,
    email,
    account_id: place?.accountId ?? null,
    role: place?.role ?? null,
    created_at: now,
    expires_at: expiresAt,
  };
  await insertMailToken(tx, row, hashToken(token));
  return { token, id, expiresAt };
}

/** Uses up the secret of a link; throws `link_invalid` if it has another purpose, was used, or has expired. */
export async function useMailToken(
  tx: Transaction,
  { clock, secrets }: { clock: Clock; secrets: SecretBox },
  purpose: TokenPurpose,
  token: string,
): Promise<MailTokenRow> {
  const row = isIssuedToken(token, secrets)
    ? await takeMailToken(tx, purpose, hashToken(token), clock.now())
    : undefined;
  if (row) return row;
  throw linkInvalid('used');
}

/**
 * Returns what a link is for without using it up; throws `link_invalid` if it has none of the purposes or no longer
 * works.
 */
export async function peekMailToken(
  db: Queryable,
  { clock, secrets }: { clock: Clock; secrets: SecretBox },
  purposes: readonly TokenPurpose[],
  token: string,
): Promise<MailTokenRow> {
  const row = isIssuedToken(token, secrets) ? await findMailToken(db, hashToken(token)) : undefined;
  if (!row || !purposes.includes(row.purpose)) throw linkInvalid('unknown');
  if (row.used_at) throw linkInvalid('used');
  if (row.expires_at <= clock.now()) throw linkInvalid('expired');
  return row;
}

/** Why a link does not work. Only shown to the holder of its secret. */
const LINK_PROBLEMS = {
  used: 'The link has already been used or was replaced by a newer one.',
  expired: 'The link has expired.',
  unknown: 'The link is incomplete or not for this page.',
  taken: 'An account with this address already exists. Sign in to it.',
};

export const linkInvalid = (reason: keyof typeof LINK_PROBLEMS) =>
  new ApiError('link_invalid', LINK_PROBLEMS[reason], { reason });
