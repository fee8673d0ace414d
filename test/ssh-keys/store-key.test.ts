import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  deleteSshKeyRow,
  findSshKeys,
  listSshKeys,
  lockSshKey,
  type SshKeyRow,
} from '../../server/db/queries/vms/ssh-keys.ts';
import { parsePublicKey } from '../../server/domain/sshkeys/public-key.ts';
import { storeSshKey } from '../../server/domain/sshkeys/store-key.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { ApiError } from '../../server/platform/errors.ts';
import { catalog, fundedAccount } from '../billing/support.ts';
import { freshDatabase } from '../support/database.ts';
import { OPENSSH_KEYS } from './keys.ts';

const everything = { limit: 100, afterId: null };
const names = (rows: SshKeyRow[]) => rows.map((row) => row.name);

async function setUp(t: TestContext, limit = catalog.limits.ssh_keys) {
  const db = await freshDatabase(t);
  const clock = new ManualClock();
  const services = { clock, catalog: { ...catalog, limits: { ...catalog.limits, ssh_keys: limit } } };
  const accountId = await fundedAccount(db, clock);
  const strangerId = await fundedAccount(db, clock);
  /** Stores the key with that number, one second after the previous action. */
  const store = (index: number, account_id = accountId) => {
    clock.advance(1000);
    const key = { account_id, name: `key ${index}`, ...parsePublicKey(OPENSSH_KEYS[index]!.line) };
    return db.transaction((tx) => storeSshKey(tx, services, key));
  };
  return { db, clock, accountId, strangerId, store };
}

function refusedWith(code: string, details: object) {
  return (error: unknown) => {
    assert.ok(error instanceof ApiError);
    assert.equal(error.code, code);
    assert.deepEqual(error.details, details);
    return true;
  };
}

test('a stored key is found by its account, newest first and by fingerprint', async (t) => {
  const { db, clock, accountId, strangerId, store } = await setUp(t);
  const first = await store(0);
  assert.deepEqual(first.created_at, clock.now());
  assert.match(first.id, /^key_/);
  await store(1);
  assert.deepEqual(names(await listSshKeys(db, accountId, {}, everything)), ['key 1', 'key 0']);
  const { fingerprint } = first;
  assert.deepEqual(await listSshKeys(db, accountId, { fingerprint }, everything), [first]);
  assert.deepEqual(await listSshKeys(db, strangerId, {}, everything), []);
  assert.deepEqual(await findSshKeys(db, accountId, [first.id, 'key_none']), [first]);
  assert.deepEqual(await findSshKeys(db, strangerId, [first.id]), []);
  assert.deepEqual(await lockSshKey(db, accountId, first.id), first);
  assert.equal(await lockSshKey(db, strangerId, first.id), undefined);
});

test('a key is stored once per account, under any name, and again once it is deleted', async (t) => {
  const { db, strangerId, store } = await setUp(t);
  const first = await store(0);
  await assert.rejects(store(0), refusedWith('ssh_key_exists', { existing_id: first.id }));
  await store(0, strangerId);
  await deleteSshKeyRow(db, first.id);
  await store(0);
});

test('one key more than the limit is refused; a duplicate is called so even then', async (t) => {
  const { strangerId, store } = await setUp(t, 2);
  const first = await store(0);
  await store(1);
  await assert.rejects(store(2), refusedWith('quota_exceeded', { limit: 2, used: 2, resource: 'ssh_keys' }));
  await assert.rejects(store(0), refusedWith('ssh_key_exists', { existing_id: first.id }));
  await store(2, strangerId);
});

test('of many concurrent stores, each key is stored once and the limit holds', async (t) => {
  const { db, accountId, store } = await setUp(t, 3);
  const attempts = [0, 0, 0, 1, 1, 2, 3, 4, 5].map((index) => store(index));
  const outcomes = await Promise.allSettled(attempts);
  for (const outcome of outcomes) {
    if (outcome.status === 'rejected') assert.ok(outcome.reason instanceof ApiError, String(outcome.reason));
  }
  const stored = await listSshKeys(db, accountId, {}, everything);
  assert.equal(stored.length, 3);
  assert.equal(new Set(stored.map((key) => key.fingerprint)).size, 3);
});
