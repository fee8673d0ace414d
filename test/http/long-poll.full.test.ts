import assert from 'node:assert/strict';
import { getEventListeners } from 'node:events';
import { Agent, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { queryObjects } from 'node:v8';
import { ALL_SCOPES } from '../../server/access/scopes.ts';
import { sql } from '../../server/db/database.ts';
import { createKey } from '../../server/domain/accounts/keys.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import { openInstallation } from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';

const AT_ONCE = 50;
const WARM_UP = 10;
const ROUNDS = 30;
/**
 * A race against a promise that lives as long as the service would leak at least one promise per call. A few in total
 * may remain by chance.
 */
const PROMISES_A_CALL = 0.1;

/** Counts the promises that are still reachable after everything pending has completed. */
async function retained(): Promise<number> {
  for (let turn = 0; turn < 4; turn++) await new Promise((resolve) => setImmediate(resolve));
  return queryObjects(Promise, { format: 'count' });
}

test('a wait for a VM leaves nothing behind, however it ends', async (t) => {
  const stopping = new AbortController();
  const db = await freshDatabase(t);
  const { services, http, close } = await openInstallation(db, { stopping: stopping.signal });
  defer(t, close);
  const { clock } = services;
  const accountId = await fundedAccount(db, clock);
  const { key } = await db.transaction((tx) =>
    createKey(tx, clock, { accountId, name: 'test', scopes: ALL_SCOPES, expiresAt: null, allowCidrs: [] }),
  );
  const vm = await storedVm(db, clock, accountId, {});
  await db.query(sql`
    insert into jobs (id, account_id, vm_id, kind, status, created_at)
    values ('job_a', ${accountId}, ${vm.id}, 'stop', 'pending', ${clock.now()})`);
  await db.query(sql`update vms set active_job_id = 'job_a' where id = ${vm.id}`);
  await http.listen({ host: '127.0.0.1', port: 0 });
  const { port } = http.server.address() as AddressInfo;
  const agent = new Agent({ keepAlive: true });
  defer(t, async () => agent.destroy());

  const wait = (signal?: AbortSignal, seconds = 30) =>
    new Promise<number | undefined>((resolve, reject) => {
      const path = `/v1/vm/${vm.id}?wait_seconds=${seconds}`;
      const headers = { authorization: `Bearer ${key}` };
      const sent = request({ agent, host: '127.0.0.1', port, path, headers, signal }, (reply) => {
        reply.resume().once('end', () => resolve(reply.statusCode));
      });
      sent.once('error', (error) => (signal?.aborted ? resolve(undefined) : reject(error)));
      sent.end();
    });
  const untilWaiting = async (count: number) => {
    while (clock.sleeping < count) await new Promise((resolve) => setImmediate(resolve));
  };
  const round = async () => {
    const waits = Array.from({ length: AT_ONCE }, () => wait());
    await untilWaiting(AT_ONCE);
    clock.advance(30_000);
    assert.deepEqual(new Set(await Promise.all(waits)), new Set([200]));
  };
  const roundWithoutWaiting = () => Promise.all(Array.from({ length: AT_ONCE }, () => wait(undefined, 0)));
  /** Returns the leaked promises per call. */
  const left = async (oneRound: () => Promise<unknown>) => {
    const before = await retained();
    for (let n = 0; n < ROUNDS; n++) await oneRound();
    return ((await retained()) - before) / (ROUNDS * AT_ONCE);
  };

  await t.test('its time is over', async (t) => {
    for (let n = 0; n < WARM_UP; n++) await Promise.all([round(), roundWithoutWaiting()]);
    const unwaited = await left(roundWithoutWaiting);
    const waited = await left(round);
    const figures = `${waited.toFixed(2)} promises are left of a call that waits, ${unwaited.toFixed(2)} of one that does not`;
    t.diagnostic(`${figures}; ${ROUNDS * AT_ONCE} calls each`);
    assert.ok(Math.max(waited, unwaited) < PROMISES_A_CALL, figures);
    assert.deepEqual(getEventListeners(stopping.signal, 'abort'), []);
  });

  await t.test('the caller hangs up', async () => {
    const hangUp = new AbortController();
    const waits = Array.from({ length: AT_ONCE }, () => wait(hangUp.signal));
    await untilWaiting(AT_ONCE);
    hangUp.abort();
    await Promise.all(waits);
    while (clock.sleeping > 0) await new Promise((resolve) => setImmediate(resolve));
    assert.deepEqual(getEventListeners(stopping.signal, 'abort'), []);
  });

  await t.test('the service stops: it answers at once', async () => {
    const waits = Array.from({ length: AT_ONCE }, () => wait());
    await untilWaiting(AT_ONCE);
    stopping.abort();
    assert.deepEqual(new Set(await Promise.all(waits)), new Set([200]));
    assert.deepEqual(getEventListeners(stopping.signal, 'abort'), []);
    assert.equal(await wait(), 200);
  });
});
