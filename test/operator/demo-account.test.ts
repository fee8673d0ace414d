import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Authenticator } from '../../server/access/authentication.ts';
import { ALL_SCOPES } from '../../server/access/scopes.ts';
import { loadConfig } from '../../server/config/config.ts';
import { sql } from '../../server/db/database.ts';
import { ensureDemoAccount } from '../../server/domain/accounts/demo-account.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase, freshDatabaseLocation } from '../support/database.ts';
import { operatorServices } from './support.ts';

const development = loadConfig({ VAUBAN_MODE: 'development' });
const production = loadConfig({
  VAUBAN_MODE: 'production',
  VAUBAN_PUBLIC_URL: 'https://api.example.com',
  VAUBAN_EDGE: 'off',
});

test('the first start in development creates one account with money and a key with all scopes', async (t) => {
  const services = operatorServices(await freshDatabase(t));
  const { db, clock } = services;
  const demo = await ensureDemoAccount({ ...services, config: development, hasOperatorPages: true });
  assert.ok(demo);
  const caller = await new Authenticator(db, clock).authenticate(`Bearer ${demo.key}`, '127.0.0.1');
  assert.deepEqual([...caller.scopes], ALL_SCOPES);
  const [account] = await db.query(
    sql`select name, available_minor from accounts join wallets on account_id = accounts.id`,
  );
  assert.deepEqual(account, { name: 'demo', available_minor: 10_000n });
  assert.equal(
    await ensureDemoAccount({ ...services, config: development, hasOperatorPages: true }),
    undefined,
    'only the first time',
  );
});

test('in production there is no demo account', async (t) => {
  const services = operatorServices(await freshDatabase(t));
  assert.equal(
    await ensureDemoAccount({ ...services, config: production, hasOperatorPages: true }),
    undefined,
  );
  assert.deepEqual(await services.db.query(sql`select id from accounts`), []);
});

test('starts at the same moment make one demo account together', async (t) => {
  const location = await freshDatabaseLocation(t);
  const first = await location.open();
  defer(t, () => first.close());
  // A separate node if the engine allows two.
  const second = first.engine === 'postgres' ? await location.open() : first;
  defer(t, () => second.close());
  const starts = [first, second, first, second].map((db) =>
    ensureDemoAccount({ ...operatorServices(db), config: development, hasOperatorPages: true }),
  );
  const keys = (await Promise.all(starts)).filter((key) => key !== undefined);
  assert.equal(keys.length, 1);
  assert.equal((await first.query(sql`select id from accounts`)).length, 1);
});
