// Runs on the embedded engine only: test/soak/soak.full.test.ts calls every operation on PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { callOf, inOrder, isFollowedByWait } from '../clients/support/sequence.ts';
import { RunningClock } from '../support/running-clock.ts';
import { PROBED, probeAll } from './probes.ts';
import { Coverage } from './support/coverage.ts';
import { makeKeys } from './support/keys.ts';
import { start } from './support/start.ts';
import { equip, idle, newSubject } from './support/world.ts';

/**
 * Every operation of openapi.json: with each invalid credential, in each invalid form, about absent things and those of
 * another account, and once correctly. The client checks each reply against the document. Refusals that depend on the
 * state of a VM or an account are in conformity.full.test.ts.
 */
test('every operation refuses invalid calls and answers a valid one', async (t) => {
  const coverage = new Coverage();
  const { operator, client } = await start(t, { coverage, clock: new RunningClock() });
  const own = await newSubject(operator, client);
  const foreign = await newSubject(operator, client);
  own.ids = await equip(own, 'own');
  foreign.ids = await equip(foreign, 'foreign');

  await t.test('invalid calls', async (t) => {
    const probes = await probeAll({ own, foreign, keys: await makeKeys(operator, own) });
    t.diagnostic(`${probes} probes`);
  });
  await t.test('valid calls', async () => {
    for (const operation of inOrder()) {
      const { status, text } = await own.client.call(operation.id, callOf(operation, own.ids));
      assert.equal(status, 200, `${operation.id}: ${text}`);
      if (isFollowedByWait(operation)) await idle(own.client, own.ids.vm!);
    }
  });
  const missing = coverage.missing().filter(([, outcome]) => outcome === 'ok' || PROBED.includes(outcome));
  assert.deepEqual(missing, []);
});
