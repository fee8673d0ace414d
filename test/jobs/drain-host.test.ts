import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drainHost } from '../../server/jobs/reconcilers/drain-host.ts';
import { assertInvariants } from '../support/invariants.ts';
import { reconcile, rename } from './support/guests.ts';
import { buyVm, powerOf, tenant, vmOf } from './support/landlord.ts';
import { Stage } from './support/stage.ts';

const TIMEOUT_SECONDS = 30;

test('guests are shut down with their host, the deaf by force, and those that should run start again with it', async (t) => {
  const stage = await Stage.open(t);
  const { services } = stage.installation;
  const { clock, guests } = services;
  const customer = await tenant(stage, 100_00n);
  const running = await buyVm(stage, customer);
  const deaf = await buyVm(stage, customer);
  const off = await buyVm(stage, customer, { start: false });
  await rename(stage.db, deaf, 'sim-ignores-shutdown');
  const draining = drainHost(services, TIMEOUT_SECONDS);
  let over = false;
  draining.finally(() => {
    over = true;
  });
  while (!over) {
    if (clock.sleeping > 0) clock.advance(1_000);
    await new Promise(setImmediate);
  }
  assert.deepEqual(await draining, { shut_down: 1, powered_off: 1, left: [] });
  for (const id of [running, deaf]) {
    const { status, wanted_power } = await vmOf(stage, id);
    assert.deepEqual([status, wanted_power, await powerOf(stage, id)], ['stopped', 'on', 'off']);
  }
  await reconcile(stage);
  assert.equal(await powerOf(stage, running), 'off', 'nothing is started while the host goes down');

  guests.release();
  await guests.run();
  await stage.finish();
  for (const id of [running, deaf]) assert.equal(await powerOf(stage, id), 'running');
  assert.equal(await powerOf(stage, off), 'off');
  await assertInvariants(stage.db);
});
