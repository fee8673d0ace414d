import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from '../../server/db/database.ts';
import { type Customer, newCustomer, operate } from '../chaos/support/customer.ts';
import { startService } from '../support/service.ts';
import { call, startOperator } from './support.ts';

const NO_KEY = 'key_00000000000000000000000000';
const VM = { plan: 's1', template: 'debian-12', hostname: 'web', password: 'correct-horse' };

/** A service with a customer who has a running VM, and the operator's access to it. */
async function rented(t: Parameters<typeof startService>[0]) {
  const env = {
    VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
    VAUBAN_RATE_LIMIT_KEY: '10000',
    VAUBAN_RATE_LIMIT_ACCOUNT: '10000',
    VAUBAN_RATE_LIMIT_IP: '10000',
  };
  const service = await startService(t, { env });
  const customer = await newCustomer(service);
  const { vm } = await customer.ask('POST', '/v1/vm', VM);
  await customer.settled(vm.id);
  const operator = (path: string, body = {}) =>
    call(service.operatorSocket, 'POST', `/accounts/${customer.accountId}${path}`, body);
  return { service, customer, vm, operator };
}

/** Repeats a request until the reply is the expected one: the service caches keys for nearly a second. */
async function until(customer: Customer, path: string, code: string | undefined, method = 'POST') {
  for (;;) {
    const reply = await customer.send(method, path);
    if (reply.json.error?.code === code) return reply;
    await sleep(20);
  }
}

test('a suspended account can only read, until it is resumed', async (t) => {
  const { customer, vm, operator } = await rented(t);
  assert.equal((await operator('/suspend')).json().data.status, 'suspended');
  // This request has no effect while it is still allowed.
  await until(customer, `/v1/vm/sshkeys/${NO_KEY}`, 'account_suspended', 'DELETE');
  assert.equal((await until(customer, `/v1/vm/${vm.id}/stop`, 'account_suspended')).status, 409);
  for (const read of ['/v1/vm', `/v1/vm/${vm.id}/events`, '/v1/billing/wallet'])
    assert.equal((await until(customer, read, undefined, 'GET')).status, 200, read);
  const screen = await until(customer, `/v1/vm/${vm.id}/console`, 'account_suspended', 'GET');
  assert.equal(screen.status, 409, 'a screen is more than a read');
  assert.equal((await customer.ask('GET', `/v1/vm/${vm.id}`)).status, 'running', 'the VM runs on');
  assert.equal((await operator('/resume')).json().data.status, 'active');
  await until(customer, `/v1/vm/sshkeys/${NO_KEY}`, 'not_found', 'DELETE');
  assert.equal((await customer.send('POST', `/v1/vm/${vm.id}/stop`)).status, 200);
});

test('a suspension may stop the VMs, and says which were busy', async (t) => {
  const { customer, vm, operator } = await rented(t);
  const { stopped, left } = (await operator('/suspend', { stop_vms: true })).json().data;
  assert.deepEqual([stopped, left], [[vm.id], []]);
  const settled = await customer.settled(vm.id);
  assert.equal(settled.status, 'stopped');
  const events = await customer.ask('GET', `/v1/vm/${vm.id}/events`);
  const asked = events.find(({ type }: { type: string }) => type === 'vm.force_stop_requested');
  assert.deepEqual(
    [asked.actor.type, asked.message],
    ['system', 'A power-off was requested by the operator.'],
  );
});

test('an account is closed only when nothing is left in it, and permanently', async (t) => {
  const { service, customer, vm, operator } = await rented(t);
  const early = await operator('/close');
  assert.equal(early.json().error.code, 'invalid_state');
  assert.equal(early.json().error.details.vm_count, 1);
  await customer.ask('DELETE', `/v1/vm/${vm.id}`);
  assert.equal(await customer.settled(vm.id), undefined);
  const { wallet } = await operate(service, `/accounts/${customer.accountId}`);
  const { balance_minor } = wallet;
  assert.equal((await operator('/close')).json().error.details.balance_minor, balance_minor);
  assert.equal((await operator('/debits', { amount_minor: balance_minor })).status, 200);
  assert.equal((await operator('/close')).json().data.status, 'closed');
  await until(customer, '/v1/vm', 'api_key_invalid', 'GET');
  for (const path of ['/resume', '/suspend', '/close'])
    assert.equal((await operator(path)).json().error.code, 'invalid_state', path);
  assert.equal((await operator('/credits', { amount: '1' })).json().error.code, 'invalid_state');
  const key = { name: 'again', scopes: ['vm:read'] };
  assert.equal((await operator('/keys', key)).json().error.code, 'invalid_state');
});

test('a debit takes only available money, once per reference, and stays on the books', async (t) => {
  const { db, post, get, newAccount } = await startOperator(t);
  const id = await newAccount();
  await post(`/accounts/${id}/credits`, { amount: '10.00', reference: 'in' });
  const debit = (body: object) => post(`/accounts/${id}/debits`, body);
  const much = (await debit({ amount: '10.01' })).json().error;
  assert.deepEqual([much.code, much.details.shortfall_minor], ['insufficient_funds', 1]);
  const first = await debit({ amount: '4.00', reference: 'recall', method: 'chargeback' });
  assert.equal(first.json().data.amount_minor, -400);
  assert.equal(first.json().data.wallet.available_minor, 600);
  assert.equal((await debit({ amount: '4.00', reference: 'recall' })).json().error.code, 'payment_exists');
  const parallel = await Promise.all(Array.from({ length: 10 }, () => debit({ amount: '1.00' })));
  assert.equal(parallel.filter(({ status }) => status === 200).length, 6);
  assert.equal((await get(`/accounts/${id}`)).json().data.wallet.balance_minor, 0);
  const moves = await db.query<{ debit: string; credit: string; total: bigint }>(sql`
    select debit, credit, sum(amount_minor)::bigint as total from journal where account_id = ${id}
    group by debit, credit order by debit, credit`);
  assert.deepEqual(moves, [
    { debit: 'clearing:manual', credit: 'wallet', total: 1000n },
    { debit: 'wallet', credit: 'clearing:chargeback', total: 400n },
    { debit: 'wallet', credit: 'clearing:manual', total: 600n },
  ]);
});

test("limits are set and reset to the catalog's, one by one", async (t) => {
  const { post, newAccount, catalog } = await startOperator(t);
  const id = await newAccount();
  const change = async (limits: object) => (await post(`/accounts/${id}/limits`, { limits })).json();
  assert.deepEqual((await change({ vms: 3, vcpu: 5 })).data.limits, { ...catalog.limits, vms: 3, vcpu: 5 });
  assert.deepEqual((await change({ vms: null })).data.limits, { ...catalog.limits, vcpu: 5 });
  assert.equal((await change({ vmss: 1 })).error.code, 'validation_failed');
  assert.equal((await change({ vms: 0 })).error.code, 'validation_failed');
  assert.equal((await change({})).error.code, 'validation_failed');
});

test('every request that changes something is on record with its author, before and after; reads are not', async (t) => {
  const { clock, db, post, get, newAccount } = await startOperator(t);
  const id = await newAccount('Example');
  for (let time = 0; time < 2; time++) {
    clock.advance(1);
    await post(`/accounts/${id}/credits`, { amount: '5.00', reference: 'r' });
  }
  const log = (await get('/log')).json().data;
  assert.deepEqual(
    log.map(({ request, status }: { request: string; status: number }) => [request, status]),
    [
      [`POST /accounts/${id}/credits`, 409],
      [`POST /accounts/${id}/credits`, 200],
      ['POST /accounts', 200],
    ],
  );
  for (const { uid, pid, user_name } of log)
    assert.deepEqual([uid, pid, user_name], [userInfo().uid, process.pid, userInfo().username]);
  assert.deepEqual(log[1].input, { amount: '5.00', reference: 'r' });
  for (const table of ['operator_log', 'operator_outcomes']) {
    for (const change of [`delete from ${table}`, `update ${table} set created_at = now()`])
      await assert.rejects(db.script(change), /append-only/, change);
  }
});

test('an action that cannot be recorded is not carried out', async (t) => {
  const { db, post, get, newAccount } = await startOperator(t);
  const id = await newAccount();
  await db.script('alter table operator_log rename to elsewhere');
  assert.equal((await post(`/accounts/${id}/credits`, { amount: '5.00' })).status, 500);
  assert.equal((await get(`/accounts/${id}`)).json().data.wallet.balance_minor, 0);
});

test('secrets in a request do not reach the log', async (t) => {
  const { db, post } = await startOperator(t);
  await post('/accounts', { name: 'a', limits: {} });
  await post('/images', { name: 'i', disk: '/nowhere', user: 'root', sha256: 'a'.repeat(64) });
  const key = 'vk_4Zt0bqGk1mXw8RrE2yVn5Qp7Lc9Hd3Js6AB';
  await post('/accounts', { name: `secret ${key}` });
  const rows = await db.query<{ input: object }>(sql`select input from operator_log`);
  assert.equal(rows.length, 3);
  assert.ok(!JSON.stringify(rows).includes(key));
});
