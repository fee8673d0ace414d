import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { generateKey } from '../../server/access/api-key.ts';
import { Authenticator, KEY_CACHE_MS } from '../../server/access/authentication.ts';
import { type Queryable, type Sql, sql } from '../../server/db/database.ts';
import { revokeKey } from '../../server/db/queries/access/api-keys.ts';
import { createAccount } from '../../server/domain/accounts/create-account.ts';
import { createKey, type NewKey } from '../../server/domain/accounts/keys.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { freshDatabase } from '../support/database.ts';

const IP = '203.0.113.7';

/** An authenticator, a helper that creates keys, and a count of the statements sent so far. */
async function setUp(t: TestContext) {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const { id: accountId } = await db.transaction((tx) =>
    createAccount(tx, clock, { name: 'Test', currency: 'EUR', limits: {} }),
  );
  let statements = 0;
  const counted: Queryable = {
    query<Row extends object>(statement: Sql) {
      statements++;
      return db.query<Row>(statement);
    },
  };
  const authenticator = new Authenticator(counted, clock);
  return {
    db,
    clock,
    accountId,
    authenticator,
    statements: () => statements,
    authenticate: async (header: string | undefined, ip = IP) => authenticator.authenticate(header, ip),
    newKey(more: Partial<NewKey> = {}) {
      const key: NewKey = {
        accountId,
        name: 'test',
        scopes: ['vm:read'],
        expiresAt: null,
        allowCidrs: [],
        ...more,
      };
      return db.transaction((tx) => createKey(tx, clock, key));
    },
  };
}

test('the key in the header identifies the account and its rights', async (t) => {
  const { authenticate, newKey, accountId } = await setUp(t);
  const { key, row } = await newKey({ scopes: ['vm:read', 'vm:write'] });
  for (const header of [`Bearer ${key}`, `bearer ${key}`, `BEARER   ${key} `]) {
    const caller = await authenticate(header);
    assert.deepEqual(caller, {
      id: row.id,
      accountId,
      scopes: new Set(['vm:read', 'vm:write']),
      suspended: false,
    });
  }
});

test('a malformed key is refused without a query', async (t) => {
  const { authenticate, newKey, statements } = await setUp(t);
  const { key } = await newKey();
  await assert.rejects(authenticate(undefined), { code: 'api_key_missing' });
  await assert.rejects(authenticate(''), { code: 'api_key_missing' });
  for (const header of [
    'Bearer',
    key,
    `Basic ${key}`,
    `Bearer ${key} ${key}`,
    'Bearer vk_x',
    `Bearer ${key}x`,
  ]) {
    await assert.rejects(authenticate(header), { code: 'api_key_invalid' }, header);
  }
  assert.equal(statements(), 0);
});

test('a known key is cached for a while, an unknown one is looked up every time', async (t) => {
  const { authenticate, newKey, statements, clock } = await setUp(t);
  const { key } = await newKey();
  for (let i = 0; i < 10; i++) await authenticate(`Bearer ${key}`);
  assert.equal(statements(), 1);
  clock.advance(KEY_CACHE_MS);
  await authenticate(`Bearer ${key}`);
  assert.equal(statements(), 2);
  const unknown = `Bearer ${generateKey()}`;
  for (let i = 0; i < 3; i++) await assert.rejects(authenticate(unknown), { code: 'api_key_invalid' });
  assert.equal(statements(), 5);
});

test('a revocation takes effect when the cached key expires, within a second', async (t) => {
  const { authenticate, newKey, db, clock } = await setUp(t);
  const { key, row } = await newKey();
  await authenticate(`Bearer ${key}`);
  await revokeKey(db, row.id, clock.now());
  assert.ok(KEY_CACHE_MS < 1_000);
  clock.advance(KEY_CACHE_MS);
  await assert.rejects(authenticate(`Bearer ${key}`), { code: 'api_key_invalid', status: 401 });
});

test('an expiry is exact to the millisecond, cached key or not', async (t) => {
  const { authenticate, newKey, clock } = await setUp(t);
  const { key } = await newKey({ expiresAt: new Date(clock.now().getTime() + 500) });
  await authenticate(`Bearer ${key}`);
  clock.advance(499);
  await authenticate(`Bearer ${key}`);
  clock.advance(1);
  await assert.rejects(authenticate(`Bearer ${key}`), { code: 'api_key_expired', status: 401 });
});

test('a key with networks works only from them, cached or not', async (t) => {
  const { authenticate, newKey } = await setUp(t);
  const { key } = await newKey({ allowCidrs: ['203.0.113.0/24', '2001:db8::/32'] });
  await authenticate(`Bearer ${key}`, '203.0.113.99');
  await authenticate(`Bearer ${key}`, '2001:db8::1');
  await assert.rejects(authenticate(`Bearer ${key}`, '198.51.100.1'), {
    code: 'ip_not_allowed',
    status: 401,
  });
});

test('uses are written together, for all callers, and never for a refused key', async (t) => {
  const { authenticate, authenticator, newKey, db, clock, statements } = await setUp(t);
  const [used, refused] = [await newKey(), await newKey({ allowCidrs: ['198.51.100.0/24'] })];
  await authenticate(`Bearer ${used.key}`);
  clock.advance(10);
  await authenticate(`Bearer ${used.key}`);
  await assert.rejects(authenticate(`Bearer ${refused.key}`), { code: 'ip_not_allowed' });
  const before = statements();
  await authenticator.flushLastUsed();
  await authenticator.flushLastUsed();
  assert.equal(statements(), before + 1);
  const rows = await db.query(sql`select id, last_used_at from api_keys order by last_used_at nulls last`);
  assert.deepEqual(rows, [
    { id: used.row.id, last_used_at: clock.now() },
    { id: refused.row.id, last_used_at: null },
  ]);
});

test('an unused key is forgotten', async (t) => {
  const { authenticator, authenticate, newKey, clock } = await setUp(t);
  const { key, row } = await newKey();
  await authenticate(`Bearer ${key}`);
  clock.advance(60_000);
  await authenticator.flushLastUsed();
  assert.equal(authenticator.lastKnown(`Bearer ${key}`), row.id);
  clock.advance(61_000);
  await authenticator.flushLastUsed();
  assert.equal(authenticator.lastKnown(`Bearer ${key}`), undefined);
  await authenticate(`Bearer ${key}`);
});
