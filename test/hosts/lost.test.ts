import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComputeUnavailableError } from '../../server/compute/driver.ts';
import { sql } from '../../server/db/database.ts';
import { BELIEVED_AFTER_MS } from '../../server/jobs/reconcilers/reconcile-guests.ts';
import type { Call } from '../jobs/support/customer.ts';
import { assertInvariants } from '../support/invariants.ts';
import { order, Rack } from './support.ts';

const TWO = { hosts: [{ name: 'a' }, { name: 'b' }] };

async function eventsOf({ db }: Rack, id: string): Promise<string[]> {
  const rows = await db.query<{ type: string }>(sql`select type from events where vm_id = ${id} order by id`);
  return rows.map(({ type }) => type);
}

test('operations on the guest of a lost host are refused with a hint, and its record can be changed', async (t) => {
  const rack = await Rack.open(t, TWO);
  const customer = await rack.customer();
  const id = await rack.buy(customer, { start: true });
  const host = (await rack.hostOf(id))!;
  const wallet = await customer.wallet();
  await rack.lose(host);
  const calls: Call[] = [
    { method: 'POST', path: `/v1/vm/${id}/stop` },
    { method: 'POST', path: `/v1/vm/${id}/force-stop` },
    { method: 'POST', path: `/v1/vm/${id}/reboot` },
    { method: 'POST', path: `/v1/vm/${id}/reset-password` },
    { method: 'POST', path: `/v1/vm/${id}/snapshots` },
    { method: 'POST', path: `/v1/vm/${id}/change-plan`, body: { plan: 's4', allow_reboot: true } },
    { method: 'GET', path: `/v1/vm/${id}/volumes` },
    { method: 'GET', path: `/v1/vm/${id}/console` },
    { method: 'POST', path: `/v1/vm/${id}/ssh-token` },
    { method: 'DELETE', path: `/v1/vm/${id}` },
  ];
  for (const call of calls) {
    const { status, error } = await customer.call(call);
    assert.deepEqual([call.path, status, error?.code], [call.path, 503, 'compute_unavailable']);
    assert.deepEqual(error?.details, { retry_after_seconds: 30 });
  }
  assert.deepEqual(await customer.wallet(), wallet);
  await customer.must({ method: 'PATCH', path: `/v1/vm/${id}`, body: { notes: 'kept' } });
  assert.equal((await customer.must({ method: 'GET', path: `/v1/vm/${id}` })).status, 'running');
  await rack.find(host);
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  await rack.finish();
  await assertInvariants(rack.db);
});

test('a VM on a lost host shows its last known state, with one event, and is neither started nor missing', async (t) => {
  const rack = await Rack.open(t, TWO);
  const { guests, clock } = rack.installation.services;
  const id = await rack.buy(await rack.customer(), { start: true });
  const host = (await rack.hostOf(id))!;
  const jobs = async () => (await rack.db.query(sql`select 1 from jobs where vm_id = ${id}`)).length;
  await rack.lose(host);
  // Even if the engine no longer listed it.
  await rack.db.query(sql`create table put_away as select * from simulator_guests`);
  for (const round of [0, 1, 2, 3]) {
    if (round === 2) await rack.db.query(sql`delete from simulator_guests`);
    await guests.run();
    clock.advance(BELIEVED_AFTER_MS);
  }
  const [vm] = await rack.db.query(sql`select status, wanted_power from vms where id = ${id}`);
  assert.deepEqual(vm, { status: 'running', wanted_power: 'on' });
  assert.equal((await eventsOf(rack, id)).filter((type) => type === 'guest.warning').length, 1);
  assert.equal(await jobs(), 1);
  await rack.db.query(sql`insert into simulator_guests select * from put_away`);
  await rack.find(host);
  for (let round = 0; round < 3; round++) {
    await guests.run();
    clock.advance(BELIEVED_AFTER_MS);
  }
  assert.equal(await jobs(), 1);
  assert.deepEqual(await rack.db.query(sql`select status from vms where id = ${id}`), [
    { status: 'running' },
  ]);
});

test('a job whose host is lost in the meantime continues when it is found, however late', async (t) => {
  const rack = await Rack.open(t, TWO);
  const { clock } = rack.installation.services;
  const customer = await rack.customer();
  const before = await customer.wallet();
  const { vm } = await customer.must(order({ start: true }));
  const host = (await rack.hostOf(vm.id))!;
  await rack.lose(host);
  const job = async () => {
    const [row] = await rack.db.query<{ status: string; attempts: number }>(
      sql`select status, attempts from jobs where vm_id = ${vm.id} and kind = 'create'`,
    );
    return row!;
  };
  // More rounds over a longer time than the retries of a failing job.
  for (let round = 0; round < 30; round++) {
    await rack.node.runner.fill();
    clock.advance(3_600_000);
  }
  assert.deepEqual(await job(), { status: 'pending', attempts: 0 });
  await rack.find(host);
  await rack.finish();
  assert.equal((await job()).status, 'succeeded');
  assert.equal((await customer.wallet()).held_minor, 0n);
  assert.ok((await customer.wallet()).available_minor < before.available_minor);
  await assertInvariants(rack.db);
});

test('a job whose engine is unreachable continues once it answers, however late', async (t) => {
  const rack = await Rack.open(t, TWO);
  const { clock, compute } = rack.installation.services;
  const customer = await rack.customer();
  const id = await rack.buy(customer);
  const nothing = async (): Promise<never> => {
    throw new ComputeUnavailableError('the cluster has no quorum');
  };
  const { hosts, remove } = compute;
  Object.assign(compute, { hosts: nothing, remove: nothing });
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  // More rounds over a longer time than the retries of a failing job; no host is recorded as lost.
  for (let round = 0; round < 30; round++) {
    await rack.node.runner.fill();
    clock.advance(3_600_000);
  }
  const job = sql`select status, attempts from jobs where vm_id = ${id} and kind = 'delete'`;
  assert.deepEqual(await rack.db.query(job), [{ status: 'running', attempts: 0 }]);
  Object.assign(compute, { hosts, remove });
  await rack.finish();
  assert.equal((await customer.call({ method: 'GET', path: `/v1/vm/${id}` })).status, 404);
  await assertInvariants(rack.db);
});
