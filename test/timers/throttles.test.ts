import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { giveTrafficNotices } from '../../server/jobs/timers/traffic-notices.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Customer } from '../jobs/support/customer.ts';
import type { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, renewalsOf, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { change, held, look, planOf, throttling } from './throttle-support.ts';
import { billing, GB, open, send } from './usage-support.ts';

const throttleOf = async (customer: Customer, id: string) =>
  (await customer.must({ method: 'GET', path: `/v1/vm/${id}` })).throttle;

const notices = ({ db }: Fixture, type: string) =>
  db.query<{ vm_id: string }>(sql`select vm_id from events where type = ${type} order by id`);

test('a VM that has sent its included volume is throttled until its next period, with one notice', async (t) => {
  const { fixture, customer } = await throttling(t);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 999);
  await look(fixture);
  assert.deepEqual([await held(fixture, id), await throttleOf(customer, id)], [[null, 'accept'], null]);
  await send(fixture, id, '2026-01-10', 1);
  await look(fixture);
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [10, 'accept']);
  assert.deepEqual(await throttleOf(customer, id), { mbps: 10, cause: 'included_traffic' });
  const [nic] = await customer.must({ method: 'GET', path: `/v1/vm/${id}/nics` });
  assert.equal(nic.bandwidth_limit_bps, 10_000_000);
  assert.equal((await notices(fixture, 'billing.traffic_limited')).length, 1);
  const { usage, usage_minor } = await billing(customer, id);
  assert.deepEqual(
    [usage.traffic.used_bytes, usage.traffic.included_bytes, usage.traffic.price_per_gb, usage_minor],
    [1000 * GB, 1000 * GB, null, 0],
  );

  await comes(fixture, '2026-02-01T00:00:00Z');
  await look(fixture);
  assert.deepEqual([await held(fixture, id), await renewalsOf(fixture, id)], [[null, 'accept'], [699n]]);
  await send(fixture, id, '2026-02-10', 1000);
  await look(fixture);
  assert.equal((await notices(fixture, 'billing.traffic_limited')).length, 2);
  await assertInvariants(fixture.db);
});

test('a plan with more traffic ends the throttle, and one that throttles faster changes it', async (t) => {
  const { fixture, customer } = await throttling(t);
  planOf(fixture, 's8').throttle_mbps = 50;
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-01', 1000);
  await look(fixture);
  await change(fixture, customer, id, 's8');
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [50, 'accept'], 'as much is included');
  await change(fixture, customer, id, 's4');
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [null, 'accept'], '3000 GB are included');
  assert.equal((await notices(fixture, 'billing.traffic_limited')).length, 1);
  await assertInvariants(fixture.db);
});

test('a stop closes the network, and the throttle outlives a reboot and a change of rules', async (t) => {
  const { fixture, customer } = await throttling(t);
  planOf(fixture, 's2').at_included = 'stop';
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 1001);
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [0.008, 'drop']);
  assert.deepEqual(await throttleOf(customer, id), { mbps: 0, cause: 'included_traffic' });
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/reboot` });
  await fixture.finish();
  const rule = { direction: 'in', action: 'accept', protocol: 'tcp', ports: '22', cidrs: ['0.0.0.0/0'] };
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/firewall`, body: rule });
  await fixture.installation.services.network.idle();
  assert.deepEqual(await held(fixture, id), [0.008, 'drop']);
  await assertInvariants(fixture.db);
});

test('a custom size includes the volume of its units', async (t) => {
  const { fixture, customer } = await throttling(t);
  const { custom } = fixture.installation.services.catalog;
  custom.bandwidth_gb = { vcpu: 100, ram_gb: 50, disk_gb: 1 };
  custom.throttle_mbps = 5;
  const id = await buyVm(fixture, customer);
  await customer.must({
    method: 'POST',
    path: `/v1/vm/${id}/change-custom`,
    body: { vcpu: 4, allow_reboot: true },
  });
  await fixture.finish();
  const [{ bandwidth_gb, ram_mb, disk_gb }] = (await fixture.db.query<Record<string, number>>(
    sql`select bandwidth_gb, ram_mb, disk_gb from vms where id = ${id}`,
  )) as [Record<string, number>];
  assert.equal(bandwidth_gb, 400 + (ram_mb! / 1024) * 50 + disk_gb!);
  await send(fixture, id, '2026-01-10', bandwidth_gb!);
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [5, 'accept']);
  await assertInvariants(fixture.db);
});

test('an account that has used more than its wallet and the bound is throttled until money comes', async (t) => {
  const { fixture, customer } = await open(t, 20_00n, { traffic_per_gb: '0.01', max_unpaid_minor: 100_00 });
  const [idle, busy] = [await buyVm(fixture, customer), await buyVm(fixture, customer)];
  await send(fixture, busy!, '2026-01-10', 1000 + 10_000);
  await look(fixture);
  assert.deepEqual(await held(fixture, busy), [null, 'accept'], '100.00 of 106.02');
  await send(fixture, busy!, '2026-01-10', 1_000);
  await look(fixture);
  assert.deepEqual(
    [await held(fixture, busy), await held(fixture, idle)],
    [
      [1, 'accept'],
      [null, 'accept'],
    ],
  );
  assert.deepEqual(await throttleOf(customer, busy), { mbps: 1, cause: 'unpaid_usage' });
  assert.deepEqual(await notices(fixture, 'billing.usage_unpaid'), [{ vm_id: busy }]);
  await customer.topUp(50_00n);
  await look(fixture);
  assert.deepEqual(await held(fixture, busy), [null, 'accept']);
  await send(fixture, busy!, '2026-01-10', 10_000);
  await look(fixture);
  assert.deepEqual(await held(fixture, busy), [1, 'accept']);
  assert.equal((await notices(fixture, 'billing.usage_unpaid')).length, 1, 'once a period');
  await assertInvariants(fixture.db);
});

test('the owner gets notice before a throttle, once a period, and a mail with it', async (t) => {
  const { fixture, customer } = await throttling(t);
  const { services } = fixture.installation;
  const id = await buyVm(fixture, customer);
  const told = async () => {
    for (let round = 0; round < 2; round++) await giveTrafficNotices(services, new Failures(services));
    await look(fixture);
    return (await notices(fixture, 'billing.traffic_used')).length;
  };
  await send(fixture, id, '2026-01-10', 799);
  assert.equal(await told(), 0);
  await send(fixture, id, '2026-01-10', 1);
  assert.equal(await told(), 1);
  const [{ message, metadata }] = (await fixture.db.query<{ message: string; metadata: object }>(
    sql`select message, metadata from events where type = 'billing.traffic_used'`,
  )) as [{ message: string; metadata: object }];
  assert.match(message, /^80 % of .* the network will be limited to 10 Mbit\/s\.$/);
  assert.deepEqual(metadata, {
    ...{ percent: 80, due_at: '2026-02-01T00:00:00.000Z', throttle_mbps: 10 },
    ...{ used_bytes: 800 * GB, included_bytes: 1000 * GB },
  });
  await send(fixture, id, '2026-01-10', 200);
  assert.equal(await told(), 1, 'the throttle has a notice of its own');
  assert.equal((await notices(fixture, 'billing.traffic_limited')).length, 1);
});

test('a plan that begins to throttle does so from the next renewal, and one that ends it at once', async (t) => {
  const { fixture, customer } = await open(t, 500_00n, {});
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 5000);
  const plan = planOf(fixture, 's2');
  Object.assign(plan, { at_included: 'throttle', throttle_mbps: 10 });
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [null, 'accept'], 'it was sold without an end');
  await comes(fixture, '2026-02-01T00:00:00Z');
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [null, 'accept']);
  await send(fixture, id, '2026-02-10', 1000);
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [10, 'accept']);
  plan.at_included = 'bill';
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [null, 'accept']);
  await assertInvariants(fixture.db);
});

test('an unpaid VM stays throttled, also after a suspension, until it is paid again', async (t) => {
  const { fixture, customer } = await open(t, 700n, { at_included: 'throttle', throttle_mbps: 10 });
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 1000);
  const speeds: unknown[] = [];
  for (const at of ['2026-01-31', '2026-02-01', '2026-02-04', '2026-02-05']) {
    await comes(fixture, `${at}T00:00:00Z`);
    await look(fixture);
    speeds.push((await held(fixture, id))[0]);
  }
  assert.deepEqual(speeds, [10, 10, 10, 10]);
  assert.notEqual((await vmOf(fixture, id)).suspended_at, null);
  await customer.topUp(100_00n);
  await comes(fixture, '2026-02-05T00:01:00Z');
  await look(fixture);
  assert.deepEqual(await held(fixture, id), [null, 'accept'], 'a new month');
  await assertInvariants(fixture.db);
});

test('a policy that is applied to an engine again contains the throttle', async (t) => {
  const { fixture, customer } = await throttling(t);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 1000);
  await look(fixture);
  const { services } = fixture.installation;
  await services.compute.applyNetwork(id, {
    defaultIn: 'accept',
    defaultOut: 'accept',
    firewall: [],
    portForwards: [],
  });
  assert.deepEqual(await held(fixture, id), [null, 'accept']);
  await services.network.apply(id);
  assert.deepEqual(await held(fixture, id), [10, 'accept']);
});
