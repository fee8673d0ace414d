import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { updateVm } from '../../server/db/queries/vms.ts';
import { assertInvariants } from '../support/invariants.ts';
import { reconcile, rename, switchOn } from './support/guests.ts';
import { buyVm, comes, eventsOf, powerOf, tenant, vmOf } from './support/landlord.ts';
import { Stage } from './support/stage.ts';

const NOW = '2026-01-15T00:00:00Z';
const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

async function open(t: Parameters<typeof Stage.open>[0], wish: object = {}, funds = 100_00n) {
  const stage = await Stage.open(t, NOW);
  const customer = await tenant(stage, funds);
  return { stage, customer, id: await buyVm(stage, customer, wish), ...stage.installation.services };
}

const show = async (stage: Stage, id: string) => {
  const { status, wanted_power } = await vmOf(stage, id);
  return [status, wanted_power, await powerOf(stage, id)];
};

test('a VM in error whose guest is well is brought back', async (t) => {
  const { stage, id, clock } = await open(t);
  await updateVm(stage.db, id, { status: 'error' }, clock.now());
  await reconcile(stage);
  assert.deepEqual(await show(stage, id), ['running', 'on', 'running']);
  const off = await buyVm(stage, await tenant(stage, 100_00n), { start: false });
  await updateVm(stage.db, off, { status: 'error' }, clock.now());
  await reconcile(stage);
  assert.deepEqual(await show(stage, off), ['stopped', 'off', 'off']);
  await assertInvariants(stage.db);
});

test('one whose guest is of another size than is sold stays in error until that is mended', async (t) => {
  const { stage, id, clock } = await open(t);
  await updateVm(stage.db, id, { status: 'error' }, clock.now());
  const setMemory = (ramMb: number) =>
    stage.db.query(
      sql`update simulator_guests set state = state || jsonb_build_object('ramMb', ${ramMb}::int)`,
    );
  const { ram_mb } = await vmOf(stage, id);
  await setMemory(1);
  await reconcile(stage);
  await reconcile(stage);
  assert.equal((await vmOf(stage, id)).status, 'error');
  await setMemory(ram_mb);
  await reconcile(stage);
  assert.equal((await vmOf(stage, id)).status, 'running');
});

test('a VM without its guest is in error, told once, and back with it', async (t) => {
  const { stage, id, metrics } = await open(t);
  await stage.db.query(sql`create table put_away as select * from simulator_guests`);
  await stage.db.query(sql`delete from simulator_guests`);
  for (let n = 0; n < 3; n++) await reconcile(stage);
  assert.deepEqual(await show(stage, id), ['error', 'on', undefined]);
  assert.deepEqual((await eventsOf(stage, id, NOW)).filter((type) => type === 'guest.warning').length, 1);
  assert.match(await metrics.text(), /vauban_guests_amiss\{how="missing"\} 1/);
  await stage.db.query(sql`insert into simulator_guests select * from put_away`);
  await stage.db.query(sql`drop table put_away`);
  await reconcile(stage);
  assert.deepEqual(await show(stage, id), ['running', 'on', 'running']);
  assert.match(await metrics.text(), /vauban_guests_amiss\{how="missing"\} 0/);
});

test('of a guest that cannot be seen the last known state is shown, and nothing is started or ended', async (t) => {
  const { stage, customer, id, clock, guests, compute } = await open(t);
  await rename(stage.db, id, 'sim-out-of-sight');
  clock.advance(MINUTE_MS);
  for (let n = 0; n < 3; n++) await reconcile(stage);
  const warnings = async () => (await eventsOf(stage, id, NOW)).filter((type) => type === 'guest.warning');
  assert.equal((await vmOf(stage, id)).status, 'running');
  assert.equal((await warnings()).length, 1);
  // What is asked of it meanwhile fails, and says nothing else of it.
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  await stage.finish();
  const { data } = await customer.call({ method: 'GET', path: `/v1/vm/${id}` });
  assert.deepEqual(
    [data.status, data.wanted_power, data.last_job.status, data.last_job.error.code],
    ['running', 'on', 'failed', 'compute_unavailable'],
  );
  await rename(stage.db, id, 'web');
  await guests.run();
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  await stage.finish();
  assert.equal((await compute.inspect(id))?.power, 'off');
  assert.deepEqual(await show(stage, id), ['stopped', 'off', 'off']);
});

test('a guest that runs although it was switched off is ended', async (t) => {
  const { stage, customer, id } = await open(t);
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  await stage.finish();
  await switchOn(stage.db, id);
  await reconcile(stage);
  assert.deepEqual(await show(stage, id), ['stopped', 'off', 'off']);
});

test('one that cannot be ended is shown as running, and is wanted so', async (t) => {
  const { stage, customer, id, clock, guests } = await open(t);
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  await stage.finish();
  await switchOn(stage.db, id);
  await rename(stage.db, id, 'sim-fail-shutdown');
  await reconcile(stage);
  assert.deepEqual(await show(stage, id), ['running', 'on', 'running']);
  clock.advance(HOUR_MS);
  await guests.run();
  assert.equal((await vmOf(stage, id)).active_job_id, null);
});

test('a suspended VM that runs is switched off again, and deleted no later for it', async (t) => {
  const { stage, id } = await open(t, {}, 699n);
  const end = (await vmOf(stage, id)).billing_period_end_at;
  for (const hours of [1, 73]) await comes(stage, new Date(end.getTime() + hours * HOUR_MS).toISOString());
  const { status, suspended_at } = await vmOf(stage, id);
  assert.equal(status, 'suspended');
  await switchOn(stage.db, id);
  await reconcile(stage);
  assert.deepEqual(await show(stage, id), ['suspended', 'on', 'off']);
  assert.deepEqual((await vmOf(stage, id)).suspended_at, suspended_at);
  await assertInvariants(stage.db);
});

test('a deletion whose guest cannot be confirmed to be gone is not done', async (t) => {
  const { stage, customer, id } = await open(t);
  await stage.db.query(sql`
    create function keep() returns trigger language plpgsql as 'begin return null; end';
  `);
  await stage.db.query(
    sql`create trigger keep before delete on simulator_guests for each row execute function keep()`,
  );
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  const node = await stage.installation.openNode();
  await node.runner.fill();
  const [job] = await stage.db.query<{ id: string }>(sql`select id from jobs where kind = 'delete'`);
  await node.runner.runToEnd(job!.id);
  assert.deepEqual([(await vmOf(stage, id)).status, (await vmOf(stage, id)).deleted_at], ['deleting', null]);
  await node.stop();
  await stage.db.query(sql`drop trigger keep on simulator_guests`);
  await stage.finish();
  assert.ok((await vmOf(stage, id)).deleted_at);
  await stage.db.query(sql`drop function keep`);
  await assertInvariants(stage.db);
});
