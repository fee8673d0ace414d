import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { readSupply } from '../../server/cluster/read-supply.ts';
import { askHosts, askOffer } from '../../server/compute/ask.ts';
import type { SimulatorOptions } from '../../server/compute/simulator/simulator.ts';
import { sql } from '../../server/db/database.ts';
import { findReservation } from '../../server/db/queries/vms/reservations.ts';
import { Supply } from '../../server/domain/hosts/supply.ts';
import { decideRebuild } from '../../server/domain/vms/rebuild-vm.ts';
import { decideRestore } from '../../server/domain/vms/restore-vm.ts';
import { startByOperator } from '../../server/endpoints/operator/vms/start-by-operator.ts';
import { assertInvariants } from '../support/invariants.ts';
import type { Call, Customer, Reply } from './support/customer.ts';
import { Fixture, PURCHASE } from './support/fixture.ts';
import { buyVm, tenant, vmOf } from './support/landlord.ts';

/** RAM of the catalog's plans s2 and s4. */
const S2_MB = 4_096;
const S4_MB = 8_192;
const FUNDS = 100_00n;

const open = (t: TestContext, simulator: Partial<SimulatorOptions>) => Fixture.open(t, undefined, simulator);
const buy = (wish: object = {}): Call => ({
  method: 'POST',
  path: '/v1/vm',
  body: { ...PURCHASE, start: false, ...wish },
});
const change = (id: string, plan: string): Call => ({
  method: 'POST',
  path: `/v1/vm/${id}/change-plan`,
  body: { plan },
});

async function customers(fixture: Fixture, count: number): Promise<Customer[]> {
  const opened: Customer[] = [];
  for (let n = 0; n < count; n++) opened.push(await tenant(fixture, FUNDS));
  return opened;
}

async function reserved(fixture: Fixture) {
  const supply = await readSupply(fixture.installation.services);
  assert.ok(supply instanceof Supply);
  return supply.reserved;
}

/**
 * Returns the customers whose racing requests succeeded; all others must have been refused for lack of capacity and
 * without movements of money.
 */
async function winners(racers: Customer[], replies: Reply[]): Promise<Customer[]> {
  const refused = replies.flatMap(({ status, error }) => (status === 200 ? [] : [[status, error?.code]]));
  assert.deepEqual(refused, Array(refused.length).fill([503, 'capacity_unavailable']));
  for (const { error } of replies) if (error) assert.deepEqual(error.details, { retry_after_seconds: 30 });
  return racers.filter((_, index) => replies[index]!.status === 200);
}

test('of eight concurrent creations with capacity for three, three are accepted', async (t) => {
  const fixture = await open(t, { capacity: { ramMb: 3 * S2_MB } });
  const racers = await customers(fixture, 8);
  const replies = await Promise.all(racers.map((racer) => racer.call(buy())));
  const accepted = await winners(racers, replies);
  assert.equal(accepted.length, 3);
  await fixture.finish();
  for (const racer of racers) {
    const { available_minor, held_minor } = await racer.wallet();
    assert.deepEqual([available_minor, held_minor], [accepted.includes(racer) ? FUNDS - 6_99n : FUNDS, 0n]);
  }
  const counts = await fixture.db.query<{ vms: number; orders: number }>(
    sql`select (select count(*)::int from vms) as vms, (select count(*)::int from orders) as orders`,
  );
  assert.deepEqual(counts, [{ vms: 3, orders: 3 }]);
  assert.equal((await reserved(fixture)).ramMb, 3 * S2_MB);
  await assertInvariants(fixture.db);
});

test('of eight concurrent changes of plan with capacity for three, three are accepted', async (t) => {
  const fixture = await open(t, { capacity: { ramMb: 8 * S2_MB + 3 * (S4_MB - S2_MB) } });
  const racers = await customers(fixture, 8);
  const ids: string[] = [];
  for (const racer of racers) ids.push(await buyVm(fixture, racer, { start: false }));
  const before = await Promise.all(racers.map((racer) => racer.wallet()));
  const replies = await Promise.all(racers.map((racer, index) => racer.call(change(ids[index]!, 's4'))));
  const accepted = await winners(racers, replies);
  assert.equal(accepted.length, 3);
  await fixture.finish();
  for (const [index, racer] of racers.entries()) {
    const isIn = accepted.includes(racer);
    assert.equal((await vmOf(fixture, ids[index]!)).plan, isIn ? 's4' : 's2');
    if (!isIn) assert.deepEqual(await racer.wallet(), before[index]);
  }
  await assertInvariants(fixture.db);
});

test('a deletion and a failed creation release their capacity', async (t) => {
  const fixture = await open(t, { capacity: { ramMb: S2_MB } });
  const [first, second] = (await customers(fixture, 2)) as [Customer, Customer];
  const failed = await first.must(buy({ hostname: 'sim-fail-create' }));
  // Capacity is reserved when the order is placed, before anything is created.
  assert.equal((await second.call(buy())).error?.code, 'capacity_unavailable');
  await fixture.finish();
  assert.equal((await vmOf(fixture, failed.vm.id)).status, 'error');
  assert.equal((await reserved(fixture)).ramMb, 0);
  const id = await buyVm(fixture, second, { start: false });
  assert.equal((await first.call(buy())).error?.code, 'capacity_unavailable');
  await second.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  // Until the guest's deletion is confirmed, its capacity is not sold.
  assert.equal((await first.call(buy())).error?.code, 'capacity_unavailable');
  await fixture.finish();
  assert.equal((await first.call(buy())).status, 200);
  await fixture.finish();
  await assertInvariants(fixture.db);
});

test('a change keeps the larger size until its end, and a failed one releases everything except the disk', async (t) => {
  const fixture = await open(t, { capacity: { ramMb: 3 * S4_MB } });
  const [customer] = (await customers(fixture, 1)) as [Customer];
  const id = await buyVm(fixture, customer, { start: false });
  await customer.must(change(id, 's4'));
  assert.deepEqual(await findReservation(fixture.db, id), { vcpu: 4, cores: 0, ram_mb: S4_MB, disk_gb: 80 });
  fixture.trouble = {
    step({ step, phase }) {
      if (step === 'resize_guest' && phase === 'after') throw new Error('fails with the disk grown');
      return undefined;
    },
  };
  await fixture.finish();
  fixture.trouble = {};
  assert.deepEqual(await findReservation(fixture.db, id), { vcpu: 2, cores: 0, ram_mb: S2_MB, disk_gb: 80 });
  await customer.must(change(id, 's4'));
  await fixture.finish();
  // A VM that shrinks keeps its reservation until it has shrunk.
  const shrink = { vcpu: 1, ram_mb: 1_024 };
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-custom`, body: shrink });
  assert.equal((await reserved(fixture)).ramMb, S4_MB);
  await fixture.finish();
  assert.deepEqual(await findReservation(fixture.db, id), { ...shrink, cores: 0, disk_gb: 80 });
  await assertInvariants(fixture.db);
});

test('snapshots reserve disk space: the whole disk until they are taken, then their maximum', async (t) => {
  const fixture = await open(t, { capacity: { diskGb: 100 } });
  const [customer] = (await customers(fixture, 1)) as [Customer];
  const id = await buyVm(fixture, customer, { start: false });
  const snapshots = `/v1/vm/${id}/snapshots`;
  const take = () => customer.call({ method: 'POST', path: snapshots });
  const { snapshot } = (await take()).data;
  assert.equal((await reserved(fixture)).diskGb, 80);
  await fixture.finish();
  // The image's 1.6 GB take space on the disk.
  assert.equal((await reserved(fixture)).diskGb, 42);
  const next = (await take()).data.snapshot;
  await fixture.finish();
  await take();
  await fixture.finish();
  const holder = await tenant(fixture, FUNDS);
  await buyVm(fixture, holder, { plan: 's1', start: false });
  assert.deepEqual((await take()).error?.code, 'capacity_unavailable');
  await customer.must({ method: 'DELETE', path: `${snapshots}/${snapshot.id}` });
  await fixture.finish();
  assert.equal((await reserved(fixture)).diskGb, 64);
  fixture.trouble = {
    engine() {
      throw new Error('the engine fails');
    },
  };
  await customer.must({ method: 'DELETE', path: `${snapshots}/${next.id}` });
  await fixture.finish();
  // The snapshot still exists.
  assert.equal((await reserved(fixture)).diskGb, 64);
  fixture.trouble = {};
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await fixture.finish();
  assert.equal((await reserved(fixture)).diskGb, 20);
});

test('a rebuild reserves a second disk until it is over, and is refused without space', async (t) => {
  const stage = await open(t, { capacity: { diskGb: 120 } });
  const { services } = stage.installation;
  const [customer] = (await customers(stage, 1)) as [Customer];
  const ids = [
    await buyVm(stage, customer, { start: false }),
    await buyVm(stage, customer, { start: false }),
  ];
  const offer = await askOffer(services, { template: 'alpine-3.22' });
  const rebuild = (id: string) =>
    startByOperator(services, id, 'rebuild', (tx, vm) =>
      decideRebuild(tx, services, vm, { template: 'alpine-3.22' }, offer),
    );
  const outcomes = await Promise.allSettled(ids.map(rebuild));
  const refused = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []));
  assert.deepEqual(
    refused.map(({ code }) => code),
    ['capacity_unavailable'],
  );
  assert.equal((await reserved(stage)).diskGb, 120);
  assert.equal((await customer.call(buy({ plan: 's1' }))).error?.code, 'capacity_unavailable');
  await stage.finish();
  assert.equal((await reserved(stage)).diskGb, 80);
  await assertInvariants(stage.db);
});

test('a restore reserves a second disk until it is over, and is refused without space', async (t) => {
  const fixture = await open(t, { capacity: { diskGb: 82 } });
  const { services } = fixture.installation;
  const [customer] = (await customers(fixture, 1)) as [Customer];
  const id = await buyVm(fixture, customer, { start: false });
  const path = `/v1/vm/${id}/snapshots`;
  const { snapshot } = (await customer.call({ method: 'POST', path })).data;
  await fixture.finish();
  const hosts = await askHosts(services);
  const restore = () =>
    startByOperator(services, id, 'snapshot_restore', (tx, vm) => decideRestore(tx, vm, snapshot.id, hosts));
  await restore();
  assert.equal((await reserved(fixture)).diskGb, 82);
  await fixture.finish();
  assert.equal((await reserved(fixture)).diskGb, 42);
  const other = await tenant(fixture, FUNDS);
  await buyVm(fixture, other, { plan: 's1', start: false });
  await assert.rejects(restore(), { code: 'capacity_unavailable' });
  await assertInvariants(fixture.db);
});

test('dedicated cores are counted separately, and without any such plans are not sold', async (t) => {
  const fixture = await open(t, { capacity: { cores: 2 } });
  const [customer, other] = (await customers(fixture, 2)) as [Customer, Customer];
  const id = await buyVm(fixture, customer, { plan: 'd2', start: false });
  assert.deepEqual(await findReservation(fixture.db, id), { vcpu: 0, cores: 2, ram_mb: 8_192, disk_gb: 80 });
  assert.equal((await vmOf(fixture, id)).dedicated, true);
  assert.equal((await other.call(buy({ plan: 'd2' }))).error?.code, 'capacity_unavailable');
  const shared = await buyVm(fixture, other, { start: false });
  assert.equal((await other.call(change(shared, 'd4'))).error?.code, 'capacity_unavailable');
  await customer.must(change(id, 's4'));
  await fixture.finish();
  assert.deepEqual(await findReservation(fixture.db, id), { vcpu: 4, cores: 0, ram_mb: S4_MB, disk_gb: 80 });
  assert.equal((await other.call(change(shared, 'd2'))).status, 200);
  await fixture.finish();
  await assertInvariants(fixture.db);
});

test('catalog, quote, options and order agree on the capacity', async (t) => {
  const fixture = await open(t, { capacity: { ramMb: S2_MB + S4_MB } });
  const [customer] = (await customers(fixture, 1)) as [Customer];
  const id = await buyVm(fixture, customer, { start: false });
  const get = (path: string) => customer.must({ method: 'GET', path: `/v1/vm${path}` });
  const { plans } = await get('/catalog');
  const options = await get(`/${id}/plan-options?all=true`);
  for (const { code, regions, deprecated } of plans) {
    const [here] = regions.filter((region: { code: string }) => region.code === 'eu-central');
    // Alongside the existing VM, and in its place.
    const fits = { beside: !['s8', 'd4', 'd8'].includes(code), instead: !['s8', 'd4', 'd8'].includes(code) };
    assert.equal(here.available, fits.beside && !deprecated, code);
    const option = options.find(({ plan }: { plan: { code: string } }) => plan.code === code);
    if (deprecated || code === 's1' || code === 's2') continue;
    const quote = await get(`/${id}/plan-quote?plan=${code}`);
    const short = fits.instead ? [] : ['capacity_unavailable'];
    assert.deepEqual(
      quote.blockers.map((blocker: { code: string }) => blocker.code),
      short,
      code,
    );
    assert.deepEqual([option.available, option.allowed], [fits.instead, fits.instead], code);
    assert.equal(option.blocker?.code, short[0]);
    if (!fits.instead) {
      assert.equal((await customer.call(change(id, code))).error?.code, 'capacity_unavailable');
      assert.equal((await customer.call(buy({ plan: code }))).error?.code, 'capacity_unavailable');
    }
  }
  assert.equal((await customer.call(change(id, 's4'))).status, 200);
  await fixture.finish();
});

test('a region, a zone and a template that the engine does not serve are shown so, and refused', async (t) => {
  const fixture = await open(t, { zones: ['eu-central-b'], templates: ['debian-12'] });
  const [customer] = (await customers(fixture, 1)) as [Customer];
  const { regions, plans, templates } = await customer.must({ method: 'GET', path: '/v1/vm/catalog' });
  const shown = regions.map((each: Record<string, unknown>) => [
    each.code,
    each.available,
    each.available_zones,
  ]);
  assert.deepEqual(shown, [
    ['eu-central', true, ['eu-central-b']],
    ['eu-west', false, []],
  ]);
  for (const plan of plans) {
    for (const { code, available } of plan.regions)
      assert.equal(available, code === 'eu-central' && !plan.deprecated);
  }
  const there = templates.filter(({ available }: { available: boolean }) => available);
  assert.deepEqual(
    there.map(({ code }: { code: string }) => code),
    ['debian-12'],
  );
  const refusals: [object, string][] = [
    [{ region: 'eu-west' }, 'region'],
    [{ zone: 'eu-central-a' }, 'zone'],
    [{ template: 'ubuntu-24.04' }, 'template'],
  ];
  for (const [wish, field] of refusals) {
    const { status, error } = await customer.call(buy(wish));
    const [problem] = error!.details!.fields as { field: string; code: string }[];
    assert.deepEqual(
      [status, error!.code, problem!.field, problem!.code],
      [422, 'validation_failed', field, 'not_available'],
    );
  }
  const size = 'vcpu=1&ram_mb=1024&disk_gb=20';
  const quote = (region: string) =>
    customer.call({ method: 'GET', path: `/v1/vm/custom-quote?${size}&region=${region}` });
  assert.equal((await quote('eu-central')).status, 200);
  assert.match((await quote('eu-west')).error!.message, /^region: no VMs can be created in region eu-west/);
  assert.deepEqual(await customer.wallet().then(({ available_minor }) => available_minor), FUNDS);
  const { vm } = await customer.must(buy());
  assert.deepEqual([vm.region, vm.zone], ['eu-central', 'eu-central-b']);
  await fixture.finish();
});
