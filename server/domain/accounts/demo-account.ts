import { ALL_SCOPES } from '../../access/scopes.ts';
import { type Database, sql } from '../../db/database.ts';
import { hasAccounts } from '../../db/queries/accounts.ts';
import type { Clock } from '../../platform/clock.ts';
import type { SecretBox } from '../../platform/secrets.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { amountToMinor, creditAccount } from './book-payment.ts';
import { createAccount } from './create-account.ts';
import { createKey } from './keys.ts';

/** What the demo account starts with, in major units. */
const DEMO_CREDIT = '100';
/** Held while looking whether there is an account: nodes that start together must not make one each. */
const DEMO_LOCK = 7226_0003;

/**
 * On the first start in development mode: makes the account "demo", with money and a key that may do
 * everything, and returns that key. Undefined where accounts exist, and always in production.
 */
export async function ensureDemoAccount({
  config,
  catalog,
  clock,
  db,
  secrets,
}: {
  config: { mode: 'development' | 'production' };
  catalog: Catalog;
  clock: Clock;
  db: Database;
  secrets?: SecretBox;
}): Promise<string | undefined> {
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
    return (await createKey(tx, clock, key, secrets)).key;
  });
}
