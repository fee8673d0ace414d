import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { updateVm } from '../../server/db/queries/vms/vms.ts';
import { assertInvariants } from '../support/invariants.ts';
import { Fixture } from './support/fixture.ts';
import { reconcile, rename, switchOn } from './support/guests.ts';
import { buyVm, comes, eventsOf, powerOf, tenant, vmOf } from './support/landlord.ts';

const NOW = '2026-01-15T00:00:00Z';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

async function open(t: Parameters<typeof Fixture.open>[0], wish: object = {}, funds = 100_00n) {
  const fixture = await Fixture.open(t, NOW);
  const customer = await tenant(fixture, funds);
  return { fixture, customer, id: await buyVm(fixture, customer, wish), ...fixture.installation.services };
}

const show = async (fixture: Fixture, id: string) => {
  const { status, wanted_power } = await vmOf(fixture, id);
  return [status, wanted_power, await powerOf(fixture, id)];
};

test('a VM in error with a sound guest recovers', async (t) => {
  const { fixture, id, clock } = await open(t);
  await updateVm(fixture.db, id, { status: 'error' }, clock.now());
  await reconcile(fixture);
  assert.deepEqual(await show(fixture, id), ['running', 'on', 'running']);
  const off = await buyVm(fixture, await tenant(fixture, 100_00n), { start: false });
  await updateVm(fixture.db, off, { status: 'error' }, clock.now());
  await reconcile(fixture);
  assert.deepEqual(await show(fixture, off), ['stopped', 'off', 'off']);
  await assertInvariants(fixture.db);
});

test('one whose guest has another size than sold stays in error until that is corrected', async (t) => {
  const { fixture, id, clock } = await open(t);
  await updateVm(fixture.db, id, { status: 'error' }, clock.now());
  const setMemory = (ramMb: number) =>
    fixture.db.query(
      sql`update simulator_guests set state = state || jsonb_build_object('ramMb', ${ramMb}::int)`,
    );
  const { ram_mb } = await vmOf(fixture, id);
  await setMemory(1);
  await reconcile(fixture);
  await reconcile(fixture);
  assert.equal((await vmOf(fixture, id)).status, 'error');
  await setMemory(ram_mb);
  await reconcile(fixture);
  assert.equal((await vmOf(fixture, id)).status, 'running');
});

test('a VM without its guest is in error, reported once, and recovers with it', async (t) => {
  const { fixture, id, metrics } = await open(t);
  await fixture.db.query(sql`create table put_away as select * from simulator_guests`);
  await fixture.db.query(sql`delete from simulator_guests`);
  for (let n = 0; n < 3; n++) await reconcile(fixture);
  assert.deepEqual(await show(fixture, id), ['error', 'on', undefined]);
  assert.deepEqual((await eventsOf(fixture, id, NOW)).filter((type) => type === 'guest.warning').length, 1);
  assert.match(await metrics.text(), /vauban_guests_amiss\{how="missing"\} 1/);
  await fixture.db.query(sql`insert into simulator_guests select * from put_away`);
  await fixture.db.query(sql`drop table put_away`);
  await reconcile(fixture);
  assert.deepEqual(await show(fixture, id), ['running', 'on', 'running']);
  assert.match(await metrics.text(), /vauban_guests_amiss\{how="missing"\} 0/);
});

test('a guest that cannot be seen shows its last known state, and nothing is started or ended', async (t) => {
  const { fixture, customer, id, clock, guests, compute } = await open(t);
  await rename(fixture.db, id, 'sim-out-of-sight');
  clock.advance(MINUTE_MS);
  for (let n = 0; n < 3; n++) await reconcile(fixture);
  const warnings = async () => (await eventsOf(fixture, id, NOW)).filter((type) => type === 'guest.warning');
  assert.equal((await vmOf(fixture, id)).status, 'running');
  assert.equal((await warnings()).length, 1);
  // Operations requested in the meantime fail, and reveal nothing else about the guest.
  const { vm } = await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  assert.equal(vm.wanted_power, 'off', 'the reply shows what its owner wants');
  await fixture.finish();
  const { data } = await customer.call({ method: 'GET', path: `/v1/vm/${id}` });
  assert.deepEqual(
    [data.status, data.wanted_power, data.last_job.status, data.last_job.error.code],
    ['running', 'on', 'failed', 'compute_unavailable'],
  );
  await rename(fixture.db, id, 'web');
  await guests.run();
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  await fixture.finish();
  assert.equal((await compute.inspect(id))?.power, 'off');
  assert.deepEqual(await show(fixture, id), ['stopped', 'off', 'off']);
});

test('a guest that runs although it was switched off is stopped', async (t) => {
  const { fixture, customer, id } = await open(t);
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  await fixture.finish();
  await switchOn(fixture.db, id);
  await reconcile(fixture);
  assert.deepEqual(await show(fixture, id), ['stopped', 'off', 'off']);
});

test('one that cannot be ended is shown as running, and is wanted so', async (t) => {
  const { fixture, customer, id, clock, guests } = await open(t);
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  await fixture.finish();
  await switchOn(fixture.db, id);
  await rename(fixture.db, id, 'sim-fail-shutdown');
  await reconcile(fixture);
  assert.deepEqual(await show(fixture, id), ['running', 'on', 'running']);
  clock.advance(HOUR_MS);
  await guests.run();
  assert.equal((await vmOf(fixture, id)).active_job_id, null);
});

test('a suspended VM that runs is switched off again, and deleted no later for it', async (t) => {
  const { fixture, id } = await open(t, {}, 699n);
  const end = (await vmOf(fixture, id)).billing_period_end_at;
  for (const hours of [1, 73]) await comes(fixture, new Date(end.getTime() + hours * HOUR_MS).toISOString());
  const { status, suspended_at } = await vmOf(fixture, id);
  assert.equal(status, 'suspended');
  await switchOn(fixture.db, id);
  await reconcile(fixture);
  assert.deepEqual(await show(fixture, id), ['suspended', 'on', 'off']);
  assert.deepEqual((await vmOf(fixture, id)).suspended_at, suspended_at);
  await assertInvariants(fixture.db);
});

test('a deletion does not complete while its guest may still exist', async (t) => {
  const { fixture, customer, id } = await open(t);
  await fixture.db.query(sql`
    create function keep() returns trigger language plpgsql as 'begin return null; end';
  `);
  await fixture.db.query(
    sql`create trigger keep before delete on simulator_guests for each row execute function keep()`,
  );
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  const node = await fixture.installation.openNode();
  await node.runner.fill();
  const [job] = await fixture.db.query<{ id: string }>(sql`select id from jobs where kind = 'delete'`);
  await node.runner.runToEnd(job!.id);
  assert.deepEqual(
    [(await vmOf(fixture, id)).status, (await vmOf(fixture, id)).deleted_at],
    ['deleting', null],
  );
  await node.stop();
  await fixture.db.query(sql`drop trigger keep on simulator_guests`);
  await fixture.finish();
  assert.ok((await vmOf(fixture, id)).deleted_at);
  await fixture.db.query(sql`drop function keep`);
  await assertInvariants(fixture.db);
});
