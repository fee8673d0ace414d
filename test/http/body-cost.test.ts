// Runs on the embedded engine only: it is about bodies that are refused before a transaction begins.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Database } from '../../server/db/database.ts';
import { createVm } from '../../server/endpoints/customer/vms/create-vm.ts';
import { compileChecks } from '../../server/http/validation.ts';
import { ApiError, type FieldProblem } from '../../server/platform/errors.ts';
import { newCustomer } from '../chaos/support/customer.ts';
import { startInProcess } from '../chaos/support/in-process.ts';

const ORDER = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
const ABSENT = '/v1/vm/vm_00000000000000000000000000';

/** A list that counts how often its items are read. */
function watched(items: unknown[]) {
  const seen = { items: 0 };
  const list = new Proxy(items, {
    get(target, name, receiver) {
      if (typeof name === 'string' && /^\d+$/.test(name)) seen.items++;
      return Reflect.get(target, name, receiver);
    },
  });
  return { list, seen };
}

function problemsOf(body: unknown): FieldProblem[] {
  const refusal = compileChecks(createVm).refusal({}, body);
  assert.ok(refusal instanceof ApiError && refusal.code === 'validation_failed');
  return refusal.details!.fields as FieldProblem[];
}

test('a list that is too long is refused for that before any of its items is looked at', () => {
  const { list, seen } = watched(Array(500).fill({}));
  const problems = problemsOf({ ...ORDER, ssh_key_ids: list });
  assert.deepEqual(
    problems.map(({ field, code }) => [field, code]),
    [['ssh_key_ids', 'too_many']],
  );
  assert.equal(seen.items, 0);
});

test('of a list with many errors the first item is named, of an object each field, up to twenty', () => {
  const { list, seen } = watched(Array(20).fill({}));
  assert.deepEqual(
    problemsOf({ ...ORDER, ssh_key_ids: list }).map(({ field, code }) => [field, code]),
    [['ssh_key_ids.0', 'wrong_type']],
  );
  assert.ok(seen.items < 20 * 4, `${seen.items} looks at 20 items`);
  const wrong = problemsOf({ plan: 1, hostname: '-', auto_renew: 'yes' });
  assert.deepEqual(wrong.map(({ field, code }) => [field, code]).sort(), [
    ['auto_renew', 'wrong_type'],
    ['hostname', 'invalid_format'],
    ['plan', 'wrong_type'],
    ['template', 'required'],
  ]);
  const unknown = Object.fromEntries(Array.from({ length: 200 }, (_, n) => [`x${n}`, n]));
  assert.equal(problemsOf({ ...ORDER, ...unknown }).length, 20);
});

function counting(): { transactions: number; watch: (db: Database) => Database } {
  const count = {
    transactions: 0,
    watch: (db: Database): Database =>
      new Proxy(db, {
        get(target, name) {
          if (name === 'transaction') count.transactions++;
          const value = Reflect.get(target, name, target);
          return typeof value === 'function' ? value.bind(target) : value;
        },
      }),
  };
  return count;
}

test('a body with more values than any operation needs is refused before it is parsed', async (t) => {
  const count = counting();
  const service = await startInProcess(t, { watch: count.watch });
  const customer = await newCustomer(service);
  const before = count.transactions;
  const bodies = [
    { ...ORDER, ssh_key_ids: Array(25_000).fill({}) },
    { ...ORDER, ssh_key_ids: Array(2_000).fill([]) },
    Object.fromEntries(Array.from({ length: 2_000 }, (_, n) => [`x${n}`, n])),
    Array(2_000).fill(0),
  ];
  for (const body of bodies) {
    const reply = await customer.send('POST', '/v1/vm', { idempotencyKey: 'many', body });
    assert.deepEqual([reply.status, reply.json.error.code], [413, 'body_too_large'], reply.text);
  }
  assert.equal(count.transactions, before, 'a transaction was opened');
  // Commas and brackets inside a string do not count as values.
  const reply = await customer.send('POST', '/v1/vm', {
    idempotencyKey: 'text',
    body: { ...ORDER, user_data: '[{,:"\\'.repeat(4_000) },
  });
  assert.equal(reply.status, 200, reply.text);
});

test('a malformed request opens no transaction unless an earlier check needs one', async (t) => {
  const count = counting();
  const service = await startInProcess(t, { watch: count.watch });
  const customer = await newCustomer(service);
  const before = count.transactions;
  const wrong = await customer.send('POST', '/v1/vm/sshkeys', { body: { name: 1 } });
  assert.deepEqual([wrong.status, wrong.json.error.code], [422, 'validation_failed']);
  assert.equal(count.transactions, before);
  // A missing resource is reported first.
  const absent = await customer.send('PATCH', ABSENT, { body: { hostname: '-' } });
  assert.deepEqual([absent.status, absent.json.error.code], [404, 'not_found']);
});
