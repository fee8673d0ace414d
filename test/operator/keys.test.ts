import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashKey, isWellFormedKey } from '../../server/access/api-key.ts';
import { Authenticator } from '../../server/access/authentication.ts';
import { ALL_SCOPES } from '../../server/access/scopes.ts';
import { sql } from '../../server/db/database.ts';
import { START, startOperator, UNKNOWN_ACCOUNT } from './support.ts';

test('a key is shown once, works, and is stored as a hash only', async (t) => {
  const { post, get, newAccount, db, clock } = await startOperator(t);
  const account = await newAccount();
  const made = await post(`/accounts/${account}/keys`, { name: 'deploy', scopes: ['vm:read', 'vm:write'] });
  assert.equal(made.status, 200, made.text);
  assert.equal(made.headers['cache-control'], 'no-store');
  const { key, ...rest } = made.json().data;
  assert.ok(isWellFormedKey(key));
  assert.match(rest.id, /^apk_[0-9a-z]{26}$/);
  assert.deepEqual(rest, {
    id: rest.id,
    account_id: account,
    name: 'deploy',
    hint: `vk_…${key.slice(-4)}`,
    status: 'active',
    scopes: ['vm:read', 'vm:write'],
    allow_cidrs: [],
    expires_at: null,
    revoked_at: null,
    last_used_at: null,
    created_at: START,
  });
  const listed = await get(`/accounts/${account}/keys`);
  assert.deepEqual(listed.json().data, [rest]);
  assert.deepEqual((await get(`/accounts/${account}`)).json().data.keys, [rest]);
  const [stored] = await db.query<{ hash: Uint8Array }>(sql`select * from api_keys`);
  assert.deepEqual(Buffer.from(stored!.hash), hashKey(key));
  assert.ok(!JSON.stringify(stored).includes(key));
  const caller = await new Authenticator(db, clock).authenticate(`Bearer ${key}`, '203.0.113.7');
  assert.equal(caller.accountId, account);
});

test('an expiry and a list of networks are kept, addresses as networks', async (t) => {
  const { post, newAccount, db, clock } = await startOperator(t);
  const account = await newAccount();
  const { key, ...shown } = (
    await post(`/accounts/${account}/keys`, {
      name: 'ci',
      scopes: ['vm:read'],
      expires_at: '2026-01-01T02:00:00+01:00',
      allow_cidrs: ['203.0.113.7', '203.0.113.7/32', '::ffff:192.0.2.1', '2001:db8::/32', '2001:db8::1'],
    })
  ).json().data;
  assert.equal(shown.expires_at, '2026-01-01T01:00:00.000Z');
  const expected = ['203.0.113.7/32', '192.0.2.1/32', '2001:db8::/32', '2001:db8::1/128'];
  assert.deepEqual(shown.allow_cidrs, expected);
  const authenticator = new Authenticator(db, clock);
  const from = async (ip: string) => authenticator.authenticate(`Bearer ${key}`, ip);
  await from('203.0.113.7');
  await from('2001:db8::99');
  await assert.rejects(from('203.0.113.8'), { code: 'ip_not_allowed' });
});

test('a revoked key stays in the list with its date, and no longer works', async (t) => {
  const { post, get, newAccount, db, clock } = await startOperator(t);
  const account = await newAccount();
  const made = (await post(`/accounts/${account}/keys`, { name: 'a', scopes: ['vm:read'] })).json().data;
  const revoked = await post(`/keys/${made.id}/revoke`);
  assert.equal(revoked.status, 200, revoked.text);
  assert.equal(revoked.json().data.status, 'revoked');
  clock.advance(60_000);
  const again = await post(`/keys/${made.id}/revoke`, {});
  assert.equal(again.json().data.revoked_at, START, 'the first revocation counts');
  const [listed] = (await get(`/accounts/${account}/keys`)).json().data;
  assert.equal(listed.status, 'revoked');
  assert.equal(listed.revoked_at, START);
  const attempt = async () => new Authenticator(db, clock).authenticate(`Bearer ${made.key}`, '203.0.113.7');
  await assert.rejects(attempt(), { code: 'api_key_invalid' });
});

test('an expired key says so in the list', async (t) => {
  const { post, get, newAccount, clock } = await startOperator(t);
  const account = await newAccount();
  const body = { name: 'a', scopes: ['vm:read'], expires_at: '2026-01-01T00:01:00Z' };
  assert.equal((await post(`/accounts/${account}/keys`, body)).json().data.status, 'active');
  clock.advance(60_000);
  assert.equal((await get(`/accounts/${account}/keys`)).json().data[0].status, 'expired');
});

test('a wrong key is refused by the name of its field', async (t) => {
  const { post, get, newAccount } = await startOperator(t);
  const account = await newAccount();
  const wrong: [string, Record<string, unknown>, RegExp][] = [
    ['name', { name: undefined }, /required/],
    ['name', { name: '\u202egpj' }, /visible/],
    ['scopes', { scopes: undefined }, /required/],
    ['scopes', { scopes: [] }, /at least 1 item|must not be empty/],
    ['scopes', { scopes: 'all' }, /array/],
    ['scopes', { scopes: ['vm:read', 'vm:read'] }, /duplicates/],
    ['scopes.1', { scopes: ['vm:read', 'vm:fly'] }, /must be one of catalog:read, vm:read/],
    ['scopes.0', { scopes: ['all'] }, /must be one of/],
    ['expires_at', { expires_at: 'tomorrow' }, /must be a time/],
    ['expires_at', { expires_at: START }, /in the future/],
    ['expires_at', { expires_at: '2026-12-31T23:59:60Z' }, /in the future/],
    ['allow_cidrs', { allow_cidrs: [] }, /at least 1 item|must not be empty/],
    ['allow_cidrs.0', { allow_cidrs: ['example.org'] }, /an address or a network/],
    ['allow_cidrs.1', { allow_cidrs: ['192.0.2.1', '10.0.0.1/8'] }, /right of its prefix/],
    ['allow_cidrs.0', { allow_cidrs: ['10.0.0.0/33'] }, /an address or a network/],
    ['scope', { scope: 'vm:read' }, /is not a field/],
  ];
  for (const [field, change, message] of wrong) {
    const reply = await post(`/accounts/${account}/keys`, { name: 'a', scopes: ['vm:read'], ...change });
    assert.equal(reply.status, 422, reply.text);
    const [problem] = reply.json().error.details.fields;
    assert.equal(problem.field, field, reply.text);
    assert.match(problem.message, message);
  }
  assert.deepEqual((await get(`/accounts/${account}/keys`)).json().data, []);
  const nobody = await post(`/accounts/${UNKNOWN_ACCOUNT}/keys`, { name: 'a', scopes: ['vm:read'] });
  assert.equal(nobody.status, 404);
  assert.equal((await post('/keys/apk_00000000000000000000000000/revoke')).status, 404);
});

test('the scopes are listed with their meaning', async (t) => {
  const { get } = await startOperator(t);
  const scopes = (await get('/scopes')).json().data as { scope: string; grants: string }[];
  assert.deepEqual(
    scopes.map(({ scope }) => scope),
    ALL_SCOPES,
  );
  assert.ok(scopes.every(({ grants }) => grants.length > 0));
});
