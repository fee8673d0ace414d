import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import pg from 'pg';
import type { DatabaseLocation } from '../../support/database.ts';
import { type Answer, type Call, type Client, idempotencyKey } from '../support/client.ts';
import { OPERATIONS, type Operation } from '../support/document.ts';
import type { Operator } from '../support/operator.ts';
import { SCOPES } from '../support/roster.ts';
import type { Created, Vm, Wallet } from '../support/shapes.ts';
import type { Installation } from '../support/start.ts';
import { validCall } from '../support/valid-calls.ts';
import { idle, newSubject, newVm, type Subject, untilGone } from '../support/world.ts';
import { priceOfSmallest } from './refusals.ts';

/** A repeated request has an effect only once. */

const IDEMPOTENT = OPERATIONS.filter(({ idempotent }) => idempotent);

/** Checks that a reply is a replay: the same bytes, marked as a replay, with its own request id. */
function assertReplay(replay: Answer, original: Answer): void {
  assert.equal(replay.status, 200, replay.text);
  assert.equal(replay.text, original.text);
  assert.equal(replay.headers['idempotent-replayed'], 'true');
  assert.notEqual(replay.headers['x-request-id'], original.headers['x-request-id']);
  const left = ({ headers }: Answer) => Number(headers['x-ratelimit-remaining']);
  const sameWindow = replay.headers['x-ratelimit-reset'] === original.headers['x-ratelimit-reset'];
  if (sameWindow) assert.ok(left(replay) < left(original), 'a replay counts against the limits');
}

/** Reverses the members of an object and changes the white space: equal JSON in different bytes. */
function rewritten(body: unknown): string {
  return JSON.stringify(Object.fromEntries(Object.entries(body as object).reverse()), null, 2);
}

async function once(operator: Operator, subject: Subject, operation: Operation): Promise<void> {
  const { client, account } = subject;
  const vm = await newVm(client, 'once');
  const valid = validCall(operation, { vm: vm.id });
  const call: Call = { ...valid, headers: idempotencyKey(randomUUID()) };
  const before = await orders(client);
  const original = await client.call(operation.id, call);
  assert.equal(original.status, 200, original.text);
  assert.equal(original.headers['idempotent-replayed'], undefined);
  if (operation.id === 'deleteVm') await untilGone(client, vm.id);
  else await idle(client, (JSON.parse(original.text) as { data: Created }).data.vm.id);

  assertReplay(await client.call(operation.id, call), original);
  if (valid.body !== undefined) assertReplay(await sendRewritten(client, operation, call), original);
  const rotated = client.withKey(await operator.key(account, [operation.scope]));
  assertReplay(await rotated.call(operation.id, call), original);
  const scopeless = client.withKey(
    await operator.key(
      account,
      SCOPES.filter((scope) => scope !== operation.scope),
    ),
  );
  await scopeless.refused(operation.id, 'scope_required', call);
  const other = { ...call, body: { ...(valid.body as object), tempalte: 1 } };
  await client.refused(operation.id, 'idempotency_key_reused', other);
  assert.equal(await orders(client), before + 1, 'one order for all of them');
}

async function sendRewritten(client: Client, { method, path }: Operation, call: Call): Promise<Answer> {
  return client.send({
    method,
    target: path.replace('{id}', call.at![0] ?? ''),
    headers: { 'content-type': 'application/json', ...call.headers },
    body: rewritten(call.body),
  });
}

async function orders(client: Client): Promise<number> {
  return (await client.ok<unknown[]>('listOrders', { query: { limit: 100 } })).length;
}

/** Keys are scoped to the account: another account's operation with the same key is a different one. */
async function twoAccounts(operator: Operator, client: Client): Promise<void> {
  const headers = idempotencyKey(randomUUID());
  const body = { plan: 's1', template: 'debian-12', hostname: 'same' };
  const ids = [];
  for (let n = 0; n < 2; n++) {
    const subject = await newSubject(operator, client);
    ids.push((await subject.client.ok<Created>('createVm', { body, headers })).vm.id);
  }
  assert.notEqual(ids[0], ids[1]);
}

/** Refusals are not stored: after a top-up, or with the mistake corrected, the same key succeeds. */
async function refusalsAreForgotten(operator: Operator, client: Client): Promise<void> {
  const subject = await newSubject(operator, client, { balance: 0 });
  const headers = idempotencyKey(randomUUID());
  const body = { plan: 's1', template: 'debian-12', hostname: 'later' };
  await subject.client.refused('createVm', 'validation_failed', {
    body: { ...body, hostname: '-' },
    headers,
  });
  await subject.client.refused('createVm', 'unknown_plan', { body: { ...body, plan: 'none' }, headers });
  const missing = await subject.client.refused('createVm', 'insufficient_funds', { body, headers });
  assert.equal(
    missing.shortfall_minor,
    await priceOfSmallest(client.withKey(await operator.key(subject.account, SCOPES))),
  );
  await operator.credit(subject.account, missing.shortfall_minor as number);
  const created = await subject.client.call('createVm', { body, headers });
  assert.equal(created.headers['idempotent-replayed'], undefined);
  const { vm } = (JSON.parse(created.text) as { data: Created }).data;
  await idle(subject.client, vm.id);
  const { available_minor } = await subject.client.ok<Wallet>('getWallet');
  assert.equal(available_minor, 0);
}

/** One of many simultaneous requests is served; the others get its reply or an error that it is in progress. */
async function twins(operator: Operator, client: Client): Promise<void> {
  const subject = await newSubject(operator, client);
  const headers = idempotencyKey(randomUUID());
  const body = { plan: 's1', template: 'debian-12', hostname: 'twin' };
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => subject.client.call('createVm', { body, headers })),
  );
  const served = answers.filter(({ status }) => status === 200);
  assert.equal(new Set(served.map(({ text }) => text)).size, 1);
  assert.equal(served.filter((answer) => answer.headers['idempotent-replayed'] === undefined).length, 1);
  for (const { status, code } of answers) assert.ok(status === 200 || code === 'idempotency_in_progress');
  assert.equal((await subject.client.ok<Vm[]>('listVms')).length, 1);
}

/** While one request waits for the wallet, which this test locks, the other is refused as already in progress. */
async function inProgress(location: DatabaseLocation, operator: Operator, client: Client): Promise<void> {
  const url = location.env.DATABASE_URL;
  if (!url) return;
  const db = new pg.Client(url);
  await db.connect();
  const subject = await newSubject(operator, client);
  for (const operation of IDEMPOTENT) {
    const vm = await newVm(subject.client, 'twin');
    const call = { ...validCall(operation, { vm: vm.id }), headers: idempotencyKey(randomUUID()) };
    await db.query('begin');
    await db.query('select 1 from wallets where account_id = $1 for update', [subject.account]);
    const calls = [1, 2].map(() => subject.client.call(operation.id, call));
    assert.equal((await Promise.race(calls)).code, 'idempotency_in_progress');
    await db.query('commit');
    const statuses = (await Promise.all(calls)).map(({ status }) => status);
    assert.deepEqual(statuses.sort(), [200, 409]);
  }
  await db.end();
}

export async function idempotency({ operator, client, location }: Installation): Promise<void> {
  const subject = await newSubject(operator, client);
  for (const operation of IDEMPOTENT) await once(operator, subject, operation);
  await twoAccounts(operator, client);
  await refusalsAreForgotten(operator, client);
  await twins(operator, client);
  await inProgress(location, operator, client);
}
