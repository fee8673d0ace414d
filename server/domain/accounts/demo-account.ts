import { ALL_SCOPES } from '../../access/scopes.ts';
import { type Database, sql } from '../../db/database.ts';
import { hasAccounts } from '../../db/queries/access/accounts.ts';
import type { Signals } from '../../db/signals.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { addMember, createPerson } from '../people/create-person.ts';
import { issueMailToken } from '../people/mail-tokens.ts';
import { addOperator } from '../people/operators.ts';
import { amountToMinor, creditAccount } from './book-payment.ts';
import { createAccount } from './create-account.ts';
import { createKey } from './keys.ts';

/** The demo account's initial credit, in major units. */
const DEMO_CREDIT = '100';
/** The domain is reserved and cannot be registered. */
export const DEMO_EMAIL = 'demo@vauban.example';
export const DEMO_OPERATOR_EMAIL = 'operator@vauban.example';
/** Advisory lock held while checking for an account: nodes that start together must not each create one. */
const DEMO_LOCK = 7226_0003;

/** Credentials for the demo account: a key for programs, and the secrets of links that sign in once. */
export interface DemoAccess {
  key: string;
  /** Signs the owner in to the panel. */
  signInToken: string;
  /** Signs an operator in to the operator's pages; undefined if those are off. */
  operatorToken: string | undefined;
}

/**
 * On the first start in development mode, creates the account "demo" with money, an owner and a key with all scopes,
 * and an operator if the operator's pages are on. Returns undefined if accounts exist, and always in production.
 */
export async function ensureDemoAccount({
  config,
  catalog,
  clock,
  db,
  secrets,
  signals,
  hasOperatorPages,
}: {
  config: { mode: 'development' | 'production' };
  catalog: Catalog;
  clock: Clock;
  db: Database;
  secrets: SecretBox;
  signals: Signals;
  hasOperatorPages: boolean;
}): Promise<DemoAccess | undefined> {
  if (config.mode !== 'development') return undefined;
  return db.transaction(async (tx) => {
    await tx.query(sql`select pg_advisory_xact_lock(${DEMO_LOCK})`);
    if (await hasAccounts(tx)) return undefined;
    const { currency } = catalog;
    const { id: accountId } = await createAccount(tx, clock, { name: 'demo', currency, limits: {} });
    const amountMinor = amountToMinor(DEMO_CREDIT, currency);
    await creditAccount(tx, clock, { accountId, amountMinor, method: 'demo' });
    const allowCidrs: string[] = [];
    const key = { accountId, name: 'demo', scopes: ALL_SCOPES, expiresAt: null, allowCidrs };
    const owner = { email: DEMO_EMAIL, name: 'Demo', locale: 'en', passwordHash: null, verified: true };
    const { id: personId } = await createPerson(tx, clock, owner);
    await addMember(tx, clock, { personId, accountId, role: 'owner' });
    const link = { purpose: 'sign_in_link' as const, personId, email: DEMO_EMAIL };
    const { token: signInToken } = await issueMailToken(tx, { clock, secrets }, link);
    const parts = { clock, secrets, signals };
    const operator = hasOperatorPages ? await addOperator(tx, parts, DEMO_OPERATOR_EMAIL) : undefined;
    const { key: secret } = await createKey(tx, clock, key, secrets);
    return { key: secret, signInToken, operatorToken: operator?.token };
  });
}
