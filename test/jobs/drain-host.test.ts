import assert from 'node:assert/strict';
import { test } from 'node:test';
import { drainHost } from '../../server/jobs/reconcilers/drain-host.ts';
import { assertInvariants } from '../support/invariants.ts';
import { Fixture } from './support/fixture.ts';
import { reconcile, rename } from './support/guests.ts';
import { buyVm, powerOf, tenant, vmOf } from './support/landlord.ts';

const TIMEOUT_SECONDS = 30;

test('guests are shut down with their host, by force if necessary, and those that should run start again with it', async (t) => {
  const fixture = await Fixture.open(t);
  const { services } = fixture.installation;
  const { clock, guests } = services;
  const customer = await tenant(fixture, 100_00n);
  const running = await buyVm(fixture, customer);
  const deaf = await buyVm(fixture, customer);
  const off = await buyVm(fixture, customer, { start: false });
  await rename(fixture.db, deaf, 'sim-ignores-shutdown');
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
    const { status, wanted_power } = await vmOf(fixture, id);
    assert.deepEqual([status, wanted_power, await powerOf(fixture, id)], ['stopped', 'on', 'off']);
  }
  await reconcile(fixture);
  assert.equal(await powerOf(fixture, running), 'off', 'nothing is started while the host goes down');

  guests.release();
  await guests.run();
  await fixture.finish();
  for (const id of [running, deaf]) assert.equal(await powerOf(fixture, id), 'running');
  assert.equal(await powerOf(fixture, off), 'off');
  await assertInvariants(fixture.db);
});
