import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComputeUnavailableError } from '../../server/compute/driver.ts';
import { sql } from '../../server/db/database.ts';
import { listHosts } from '../../server/db/queries/hosts/hosts.ts';
import { BELIEVED_AFTER_MS } from '../../server/jobs/reconcilers/reconcile-guests.ts';
import type { Call } from '../jobs/support/customer.ts';
import { assertInvariants } from '../support/invariants.ts';
import { available, joined, order, SECOND_HOST, Service, shown, statusOf, WEST } from './clusters-support.ts';

test('an unreachable cluster affects only its own region, and nothing is lost', async (t) => {
  const service = await Service.open(t);
  await service.add();
  const { db, installation } = service;
  const { guests } = installation.services;
  const customer = await service.customer();
  const west = await service.buy(customer, WEST);
  service.second.state = 'away';
  for (let round = 0; round < 3; round++) {
    await service.pass(BELIEVED_AFTER_MS / 1000);
    await guests.run();
  }
  assert.deepEqual(await shown(service), [
    [['eu-central'], true, true, { up: 2, total: 2 }, 0],
    [[WEST], false, false, { up: 0, total: 1 }, 1],
  ]);
  const states = await service.compute.clusters!.list();
  assert.match(states[1]!.report.summary, /region eu-west does not answer: cluster bbb is away/);
  const sight = (await service.compute.list()).find(({ id }) => id === west);
  assert.deepEqual(sight, { id: west, hostId: SECOND_HOST, power: 'unknown' });
  assert.equal(await statusOf(service, west), 'running');
  const refused = await service.refuse();
  assert.deepEqual(
    [refused.status, refused.error?.code, refused.error?.details],
    [503, 'compute_unavailable', { retry_after_seconds: 30 }],
  );
  const stop = await customer.call({ method: 'POST', path: `/v1/vm/${west}/stop` });
  assert.deepEqual([stop.status, stop.error?.code], [503, 'compute_unavailable']);
  assert.deepEqual(await available(service), { 'eu-central': true, 'eu-west': false });
  assert.equal((await service.compute.probe()).ok, true);
  assert.equal(await statusOf(service, await service.buy(customer)), 'running');

  service.second.state = 'well';
  // A look discovers it in the background; later requests are answered from its result.
  while (!(await available(service))[WEST]) await service.pass(5);
  assert.equal(await statusOf(service, await service.buy(customer, WEST)), 'running');
  await guests.run();
  assert.equal((await service.compute.inspect(west))?.power, 'running');
  assert.equal(await statusOf(service, west), 'running');
  const starts = await db.query(sql`select 1 from jobs where vm_id = ${west}`);
  assert.equal(starts.length, 1, 'it was not started a second time');
  await assertInvariants(db);
});

test('the only cluster is unreachable: operations that need it are refused with a hint, and nothing is lost', async (t) => {
  const service = await Service.open(t);
  const { db, installation } = service;
  const customer = await service.customer();
  const id = await service.buy(customer);
  const lost = async () =>
    (await listHosts(db, installation.services.engine)).filter(({ lost_at }) => lost_at).length;
  service.first.state = 'away';
  await assert.rejects(service.pass(5), ComputeUnavailableError);
  assert.equal(await lost(), 0, 'a cluster that has just lost a member says nothing for a moment');
  await assert.rejects(service.pass(5), ComputeUnavailableError);
  assert.equal(await lost(), 2);
  const regions = ['eu-central', WEST];
  assert.deepEqual(await shown(service), [[regions, false, false, { up: 0, total: 2 }, 1]]);
  const wallet = await customer.wallet();
  for (const call of [
    { method: 'POST', path: `/v1/vm/${id}/stop` },
    { method: 'POST', path: `/v1/vm/${id}/reboot` },
    { method: 'POST', path: `/v1/vm/${id}/snapshots` },
    { method: 'DELETE', path: `/v1/vm/${id}` },
    order('eu-central'),
  ] as Call[]) {
    const { status, error } = await customer.call(call);
    assert.deepEqual([call.path, status, error?.code], [call.path, 503, 'compute_unavailable']);
    assert.deepEqual(error?.details, { retry_after_seconds: 30 });
  }
  assert.deepEqual(await customer.wallet(), wallet);
  await customer.must({ method: 'PATCH', path: `/v1/vm/${id}`, body: { notes: 'kept' } });
  assert.equal(await statusOf(service, id), 'running');

  service.first.state = 'well';
  await service.pass(5);
  assert.equal(await lost(), 0);
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
  await service.finish();
  assert.equal(await statusOf(service, id), 'stopped');
  // Silence that ended before is not counted again.
  service.first.state = 'away';
  await assert.rejects(service.pass(3_600), ComputeUnavailableError);
  assert.equal(await lost(), 0);
  await assertInvariants(db);
});

test('the only cluster hangs: after two timeouts, operations that need it are refused', async (t) => {
  const service = await Service.open(t);
  const customer = await service.customer();
  const id = await service.buy(customer);
  service.first.state = 'silent';
  const lost = async () =>
    (await listHosts(service.db, service.installation.services.engine)).filter(({ lost_at }) => lost_at)
      .length;
  for (const expected of [0, 2]) {
    const watched = assert.rejects(service.watch.run(), /did not list its hosts within 10 s/);
    while (service.clock.sleeping === 0) await new Promise(setImmediate);
    service.clock.advance(10_000);
    await watched;
    assert.equal(await lost(), expected, 'of one look alone it is not known who was late');
  }
  const { status, error } = await customer.call({ method: 'POST', path: `/v1/vm/${id}/stop` });
  assert.deepEqual([status, error?.code], [503, 'compute_unavailable']);
  service.first.state = 'well';
  await service.pass(5);
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/stop` });
});

test('when no cluster answers, the engine is away as a whole', async (t) => {
  const service = await Service.open(t);
  await service.add();
  await service.buy(await service.customer(), WEST);
  service.first.state = 'away';
  service.second.state = 'away';
  await assert.rejects(service.compute.hosts(), ComputeUnavailableError);
  await assert.rejects(service.compute.list(), ComputeUnavailableError);
  assert.deepEqual(await shown(service), [
    [['eu-central'], false, false, { up: 0, total: 2 }, 0],
    [[WEST], false, false, { up: 0, total: 1 }, 1],
  ]);
  const { ok, summary } = await service.compute.probe();
  assert.equal(ok, false);
  assert.match(summary, /settings does not answer.*; eu-west: the cluster of region eu-west does not answer/);
});

test('an order waits for a cluster of another region once, and not forever', async (t) => {
  const service = await Service.open(t);
  await service.add();
  const customer = await service.customer();
  service.second.state = 'silent';
  const first = customer.call(order('eu-central'));
  // The order waits for both clusters until the other one has replied.
  while (service.clock.sleeping !== 1) await new Promise(setImmediate);
  service.clock.advance(10_000);
  assert.equal((await first).status, 200);
  // The clock stands still: a request that waited would never end.
  assert.equal((await customer.call(order('eu-central'))).status, 200);
  assert.equal((await customer.call(order(WEST))).error?.code, 'compute_unavailable');
});

test('a node that starts while its first cluster is away serves the other regions', async (t) => {
  const service = await Service.open(t);
  const { first, second, db, clock } = service;
  const engine = await service.compute.place();
  await assert.rejects(async () => {
    first.state = 'away';
    await joined(db, clock, first, second).place();
  }, ComputeUnavailableError);
  first.state = 'well';
  await service.add();
  first.state = 'away';
  // The service does not guess about an engine that it has never seen.
  await db.query(sql`update hosts set engine = 'qemu:other'`);
  assert.equal((await joined(db, clock, first, second).probe()).ok, false);
  await db.query(sql`update hosts set engine = ${`simulator:${engine}`}`);
  const started = joined(db, clock, first, second);
  assert.equal((await started.probe()).ok, true);
  assert.equal(await started.place(), engine);
  const reachable = (await started.hosts()).filter((host) => host.reachable).map(({ id }) => id);
  assert.deepEqual(reachable, [SECOND_HOST]);
});
