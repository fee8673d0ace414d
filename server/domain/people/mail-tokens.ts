import { generateToken, hashToken, isIssuedToken } from '../../access/secret-token.ts';
import type { Queryable, Transaction } from '../../db/database.ts';
import type { Role } from '../../db/enums.ts';
import {
  findMailToken,
  insertMailToken,
  type MailTokenRow,
  type Newcomer,
  type TokenPurpose,
  takeMailToken,
} from '../../db/queries/mail-tokens.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import type { SecretBox } from '../../platform/secrets.ts';

const HOUR_MS = 3_600_000;

/** How long a link is good: the more it opens, the shorter. */
const LIFETIME_MS: Readonly<Record<TokenPurpose, number>> = {
  verify_email: 24 * HOUR_MS,
  reset_password: HOUR_MS,
  invitation: 7 * 24 * HOUR_MS,
  sign_in_link: 24 * HOUR_MS,
  change_email: HOUR_MS,
};

/** Whom a link is for, and what it does. */
export interface NewMailToken {
  purpose: TokenPurpose;
  personId?: string;
  email: string;
  /** Of an invitation. */
  place?: { accountId: string; role: Role };
  /** Of a sign-up. */
  newcomer?: Newcomer;
}

/** Makes the secret of a link. It is returned here and nowhere else: only a hash is stored. */
export async function issueMailToken(
  tx: Transaction,
  { clock, secrets }: { clock: Clock; secrets: SecretBox },
  { purpose, personId, email, place, newcomer }: NewMailToken,
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
    newcomer: newcomer ?? null,
    created_at: now,
    expires_at: expiresAt,
  };
  await insertMailToken(tx, row, hashToken(token));
  return { token, id, expiresAt };
}

/** Uses the secret of a link up; `link_invalid` where it is not of this purpose, was used, or has expired. */
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
  throw linkInvalid();
}

/** What a link is for, without using it up; undefined where it is good for nothing. */
export async function peekMailToken(
  db: Queryable,
  { clock, secrets }: { clock: Clock; secrets: SecretBox },
  purpose: TokenPurpose,
  token: string,
): Promise<MailTokenRow | undefined> {
  return isIssuedToken(token, secrets)
    ? findMailToken(db, purpose, hashToken(token), clock.now())
    : undefined;
}

/** The refusal of a link. */
export const linkInvalid = () =>
  new ApiError('link_invalid', 'The link is not good any more: it was used, replaced, or has expired.');
