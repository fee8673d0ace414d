import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import type { Reply } from './support.ts';
import { START, startOperator, UNKNOWN_ACCOUNT } from './support.ts';

function assertRefused(reply: Reply, field: string, message: RegExp): void {
  assert.equal(reply.status, 422, reply.text);
  const { code, details } = reply.json().error;
  assert.equal(code, 'validation_failed');
  assert.equal(details.fields[0].field, field, reply.text);
  assert.match(details.fields[0].message, message);
}

test('an account begins with an empty wallet and the limits of the catalog', async (t) => {
  const { post, get, catalog } = await startOperator(t);
  const made = await post('/accounts', { name: 'Example Ltd', limits: { vms: 3 } });
  assert.equal(made.status, 200, made.text);
  const account = made.json().data;
  assert.match(account.id, /^acc_[0-9a-z]{26}$/);
  assert.deepEqual(account, {
    id: account.id,
    name: 'Example Ltd',
    status: 'active',
    currency: catalog.currency,
    wallet: { balance_minor: 0, held_minor: 0, available_minor: 0, promo_minor: 0, claimed_minor: 0 },
    vm_count: 0,
    limits: { ...catalog.limits, vms: 3 },
    smtp: 'closed',
    created_at: START,
  });
  const shown = (await get(`/accounts/${account.id}`)).json().data;
  assert.deepEqual(shown, { ...account, keys: [] });
});

test('accounts are listed newest first, a page at a time', async (t) => {
  const { get, newAccount, clock } = await startOperator(t);
  const ids: string[] = [];
  for (const name of ['a', 'b', 'c']) {
    ids.unshift(await newAccount(name));
    clock.advance(1);
  }
  const first = (await get('/accounts?limit=2')).json();
  assert.deepEqual(
    first.data.map(({ id }: { id: string }) => id),
    ids.slice(0, 2),
  );
  assert.equal(first.pagination.has_more, true);
  const second = (await get(`/accounts?limit=2&cursor=${first.pagination.next_cursor}`)).json();
  assert.deepEqual(
    second.data.map(({ id }: { id: string }) => id),
    ids.slice(2),
  );
  assert.equal(second.pagination.next_cursor, null);
});

test('a wrong account is refused by the name of its field', async (t) => {
  const { post, get } = await startOperator(t);
  assertRefused(await post('/accounts', {}), 'name', /required/);
  assertRefused(await post('/accounts', { name: '' }), 'name', /must not be empty/);
  assertRefused(await post('/accounts', { name: '  ' }), 'name', /visible/);
  assertRefused(await post('/accounts', { name: 'a\u001b[31m' }), 'name', /visible/);
  assertRefused(await post('/accounts', { name: 'x'.repeat(101) }), 'name', /at most 100/);
  assertRefused(await post('/accounts', { name: 'a', currency: 'USD' }), 'currency', /must be EUR/);
  assertRefused(await post('/accounts', { name: 'a', mail: 'b' }), 'mail', /is not a field/);
  assertRefused(await post('/accounts', { name: 'a', limits: { vmss: 1 } }), 'limits.vmss', /is not a field/);
  assertRefused(await post('/accounts', { name: 'a', limits: { vms: 0 } }), 'limits.vms', /at least 1/);
  assertRefused(await post('/accounts', [1]), 'body', /object/);
  assertRefused(await get('/accounts?all=1'), 'all', /is not a query parameter/);
  assert.deepEqual((await get('/accounts')).json().data, []);
});

test('credits add up in the wallet, each with a payment and a journal entry', async (t) => {
  const { post, get, newAccount, db, catalog } = await startOperator(t);
  const id = await newAccount();
  const first = (await post(`/accounts/${id}/credits`, { amount: '12.5', reference: 'transfer 1' })).json()
    .data;
  assert.deepEqual(first, {
    id: first.id,
    account_id: id,
    method: 'manual',
    status: 'succeeded',
    amount_minor: 1250,
    currency: catalog.currency,
    reference: 'transfer 1',
    created_at: START,
    settled_at: START,
    wallet: { balance_minor: 1250, held_minor: 0, available_minor: 1250, promo_minor: 0, claimed_minor: 0 },
  });
  const second = (await post(`/accounts/${id}/credits`, { amount_minor: 1, method: 'cash' })).json().data;
  assert.equal(second.reference, second.id, 'a payment without a reference is known by its id');
  assert.equal((await get(`/accounts/${id}`)).json().data.wallet.available_minor, 1251);
  const entries = await db.query(
    sql`select debit, credit, amount_minor, payment_id from journal where account_id = ${id} order by id`,
  );
  assert.deepEqual(entries, [
    { debit: 'clearing:manual', credit: 'wallet', amount_minor: 1250n, payment_id: first.id },
    { debit: 'clearing:cash', credit: 'wallet', amount_minor: 1n, payment_id: second.id },
  ]);
});

test('a reference is credited once, in any number of concurrent requests', async (t) => {
  const { post, get, newAccount } = await startOperator(t);
  const id = await newAccount();
  const credit = { amount: '10', reference: 'transfer 4711' };
  const replies = await Promise.all(Array.from({ length: 8 }, () => post(`/accounts/${id}/credits`, credit)));
  const [paid, ...more] = replies.filter(({ status }) => status === 200);
  assert.ok(paid && more.length === 0, 'one of them was booked');
  for (const refused of replies.filter((reply) => reply !== paid)) {
    assert.equal(refused.status, 409, refused.text);
    assert.deepEqual(refused.json().error, {
      code: 'payment_exists',
      message: 'The account already has a payment with the reference "transfer 4711".',
      details: { payment_id: paid.json().data.id },
    });
  }
  assert.equal((await get(`/accounts/${id}`)).json().data.wallet.available_minor, 1000);
  const other = await newAccount();
  assert.equal(
    (await post(`/accounts/${other}/credits`, credit)).status,
    200,
    'a reference belongs to its account',
  );
});

test('no credit is lost among many at once', async (t) => {
  const { post, get, newAccount } = await startOperator(t);
  const id = await newAccount();
  const amounts = Array.from({ length: 20 }, (_, index) => index + 1);
  await Promise.all(amounts.map((amount_minor) => post(`/accounts/${id}/credits`, { amount_minor })));
  assert.equal((await get(`/accounts/${id}`)).json().data.wallet.balance_minor, 210);
});

test('a wrong credit is refused by the name of its field and changes nothing', async (t) => {
  const { post, get, newAccount } = await startOperator(t);
  const id = await newAccount();
  const credit = (body: unknown) => post(`/accounts/${id}/credits`, body);
  assertRefused(await credit({}), 'amount', /either amount or amount_minor/);
  assertRefused(await credit({ amount: '1', amount_minor: 100 }), 'amount', /either/);
  assertRefused(await credit({ amount: '0.00' }), 'amount', /greater than zero/);
  assertRefused(await credit({ amount: '1.005' }), 'amount', /more decimal places than EUR/);
  assertRefused(await credit({ amount: '-5' }), 'amount', /decimal such as 49\.90/);
  assertRefused(await credit({ amount: '5,00' }), 'amount', /decimal such as/);
  assertRefused(await credit({ amount: 5 }), 'amount', /string/);
  assertRefused(await credit({ amount_minor: 0 }), 'amount_minor', /at least 1/);
  assertRefused(await credit({ amount_minor: 1.5 }), 'amount_minor', /whole number/);
  assertRefused(await credit({ amount: '1', method: 'Bank!' }), 'method', /lower-case letters/);
  assertRefused(await credit({ amount: '1', reference: '\n' }), 'reference', /visible/);
  assertRefused(await credit({ amount: '1', currency: 'EUR' }), 'currency', /is not a field/);
  const { wallet } = (await get(`/accounts/${id}`)).json().data;
  assert.equal(wallet.balance_minor, 0);
});

test('a missing resource is 404, and malformed JSON is reported as such', async (t) => {
  const { post, get } = await startOperator(t);
  for (const reply of [
    await get(`/accounts/${UNKNOWN_ACCOUNT}`),
    await get(`/accounts/${UNKNOWN_ACCOUNT}/keys`),
    await post(`/accounts/${UNKNOWN_ACCOUNT}/credits`, { amount: '1' }),
    await get('/nothing/here'),
    await get('/v1/vm'),
  ]) {
    assert.equal(reply.status, 404);
    assert.equal(reply.json().error.code, 'not_found');
  }
  assert.equal((await get('/accounts?cursor=x')).json().error.code, 'invalid_cursor');
});

test('a top-up leaves space for refunds, and names the field that exceeds it', async (t) => {
  const { post, get, newAccount } = await startOperator(t);
  const id = await newAccount();
  const credit = async (body: object) => (await post(`/accounts/${id}/credits`, body)).json();
  assert.equal(
    (await credit({ amount_minor: 9_999_999_999_999_00 })).data.amount_minor,
    9_999_999_999_999_00,
  );
  for (const [field, value] of [
    ['amount_minor', Number.MAX_SAFE_INTEGER],
    ['amount_minor', 101],
    ['amount', '1.01'],
  ] as const) {
    const { error } = await credit({ [field]: value });
    assert.equal(error.code, 'validation_failed');
    assert.deepEqual(error.details.fields, [
      {
        field,
        code: 'too_large',
        message: 'must be at most 100 minor units, so that the wallet stays within its limit',
      },
    ]);
  }
  assert.equal((await credit({ amount: '1.00' })).data.wallet.available_minor, 1_000_000_000_000_000);
  assert.equal((await get(`/accounts/${id}`)).json().data.wallet.balance_minor, 1_000_000_000_000_000);
});
