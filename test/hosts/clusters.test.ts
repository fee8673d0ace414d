import assert from 'node:assert/strict';
import { test } from 'node:test';
import { askOffer } from '../../server/compute/ask.ts';
import { ComputeUnavailableError } from '../../server/compute/driver.ts';
import { sql } from '../../server/db/database.ts';
import {
  listClusters,
  lockClusterOf,
  RecordedClusters,
  removeEmptyCluster,
  updateCluster,
} from '../../server/db/queries/clusters.ts';
import { listHosts } from '../../server/db/queries/hosts.ts';
import { decideRebuild } from '../../server/domain/vms/rebuild-vm.ts';
import { startByOperator } from '../../server/endpoints/operator/vms/start-by-operator.ts';
import { emptyHosts } from '../../server/jobs/reconcilers/empty-hosts.ts';
import { BELIEVED_AFTER_MS } from '../../server/jobs/reconcilers/reconcile-guests.ts';
import type { Call } from '../jobs/support/customer.ts';
import { assertInvariants } from '../support/invariants.ts';
import { joined, order, SECOND, Service, WEST } from './clusters-support.ts';

const SECOND_HOST = 'simulator:bbb:m1';

async function hostOf({ db }: Service, id: string): Promise<string | null> {
  const [row] = await db.query<{ host_id: string | null }>(sql`select host_id from vms where id = ${id}`);
  return row!.host_id;
}

async function statusOf({ db }: Service, id: string): Promise<string> {
  const [row] = await db.query<{ status: string }>(sql`select status from vms where id = ${id}`);
  return row!.status;
}

/** The clusters as an operator sees them: regions, whether they answer, whether they are well, members, guests. */
async function shown({ compute }: Service) {
  return (await compute.clusters!.list()).map(({ regions, reachable, report, members, guests }) => {
    return [regions, reachable, report.ok, members, guests];
  });
}

/** Whether a region can be bought in, as customers see it. */
async function available(service: Service): Promise<Record<string, boolean>> {
  const customer = await service.customer();
  const { regions } = await customer.must({ method: 'GET', path: '/v1/vm/catalog' });
  return Object.fromEntries(
    regions.map(({ code, available }: { code: string; available: boolean }) => [code, available]),
  );
}

test('a VM is made on its region’s cluster, spread over its members, and never leaves it', async (t) => {
  const service = await Service.open(t);
  await service.add();
  const { db, installation } = service;
  const { engine } = installation.services;
  const names = (await listHosts(db, engine)).map(({ name, zones }) => [name, zones]);
  assert.deepEqual(names, [
    ['m1', ['eu-central-a', 'eu-central-b']],
    ['m1@eu-west', ['eu-west-a', 'eu-west-b']],
    ['m2', ['eu-central-a', 'eu-central-b']],
  ]);
  const customer = await service.customer();
  const ids = [await service.buy(customer), await service.buy(customer)];
  const west = await service.buy(customer, WEST);
  const hosts = await Promise.all(ids.map((id) => hostOf(service, id)));
  assert.deepEqual(hosts.toSorted(), ['simulator:aaa:m1', 'simulator:aaa:m2']);
  assert.equal(await hostOf(service, west), SECOND_HOST);
  const listed = (await service.compute.list()).map(({ id, hostId }) => [id, hostId]);
  assert.deepEqual(
    listed.toSorted(),
    [...ids, west].map((id, index) => [id, hosts[index] ?? SECOND_HOST]).toSorted(),
  );
  assert.equal((await service.compute.sample([...ids, west])).length, 3);
  // Though the other cluster has room.
  await db.query(sql`update hosts set state = 'draining' where id = ${SECOND_HOST}`);
  await emptyHosts(installation.services);
  await service.finish();
  assert.equal(await hostOf(service, west), SECOND_HOST);
  await assert.rejects(service.compute.move(west, { hostId: hosts[0]! }, 'cold'), /no guest moves/);
  await customer.must({ method: 'DELETE', path: `/v1/vm/${west}` });
  await service.finish();
  assert.equal((await service.compute.list()).length, 2);
  await assertInvariants(db);
});

test('a cluster that is away costs its own region alone, and nothing is lost by it', async (t) => {
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
  // A look finds out in the background; one after it is answered.
  while (!(await available(service))[WEST]) await service.pass(5);
  assert.equal(await statusOf(service, await service.buy(customer, WEST)), 'running');
  await guests.run();
  assert.equal((await service.compute.inspect(west))?.power, 'running');
  assert.equal(await statusOf(service, west), 'running');
  const starts = await db.query(sql`select 1 from jobs where vm_id = ${west}`);
  assert.equal(starts.length, 1, 'it was not started a second time');
  await assertInvariants(db);
});

test('the only cluster says nothing: what needs it is refused with a hint, and nothing is lost by it', async (t) => {
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
  // Silence that was over is not counted again.
  service.first.state = 'away';
  await assert.rejects(service.pass(3_600), ComputeUnavailableError);
  assert.equal(await lost(), 0);
  await assertInvariants(db);
});

test('the only cluster hangs: once two answers were waited for, what needs it is refused', async (t) => {
  const service = await Service.open(t);
  const customer = await service.customer();
  const id = await service.buy(customer);
  service.first.state = 'silent';
  const lost = async () =>
    (await listHosts(service.db, service.installation.services.engine)).filter(({ lost_at }) => lost_at)
      .length;
  for (const expected of [0, 2]) {
    const watched = assert.rejects(service.watch.run(), /has not named its hosts in 10 s/);
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

test('an order waits for a cluster of another region once, and not for ever', async (t) => {
  const service = await Service.open(t);
  await service.add();
  const customer = await service.customer();
  service.second.state = 'silent';
  const first = customer.call(order('eu-central'));
  // Both are waited for until the other one has answered.
  while (service.clock.sleeping !== 1) await new Promise(setImmediate);
  service.clock.advance(10_000);
  assert.equal((await first).status, 200);
  // Its time stands still: a question that waited would never end.
  assert.equal((await customer.call(order('eu-central'))).status, 200);
  assert.equal((await customer.call(order(WEST))).error?.code, 'compute_unavailable');
});

test('what was sold on the first cluster just before its region had one of its own is given back', async (t) => {
  const service = await Service.open(t);
  const customer = await service.customer();
  const { vm } = await customer.must(order(WEST));
  assert.match((await hostOf(service, vm.id))!, /^simulator:aaa:/);
  await service.add();
  await service.finish();
  assert.equal(await statusOf(service, vm.id), 'error');
  assert.equal((await customer.wallet()).held_minor, 0n);
  assert.deepEqual(await service.compute.list(), []);
  await assertInvariants(service.db);
});

test('an image that one region lacks is missing there alone', async (t) => {
  const service = await Service.open(t, { ...SECOND, templates: ['debian-13'] });
  await service.add();
  const { status, error } = await service.refuse();
  assert.deepEqual([status, error?.code], [422, 'validation_failed']);
  assert.match(error!.message, /^template: there is no image/);
  assert.equal((await (await service.customer()).call(order('eu-central'))).status, 200);
});

test('a VM is not rebuilt from an image that its region lacks, which is refused by the field', async (t) => {
  const service = await Service.open(t, { ...SECOND, templates: ['debian-12'] });
  await service.add();
  const { services } = service.installation;
  const customer = await service.customer();
  const [central, west] = [await service.buy(customer), await service.buy(customer, WEST)];
  const rebuild = async (id: string) => {
    const offer = await askOffer(services, {
      template: 'alpine-3.22',
      region: id === west ? WEST : 'eu-central',
    });
    return startByOperator(services, id, 'rebuild', (tx, vm) =>
      decideRebuild(tx, services, vm, { template: 'alpine-3.22' }, offer),
    );
  };
  await assert.rejects(rebuild(west), { code: 'validation_failed', message: /^template: there is no image/ });
  assert.equal(await statusOf(service, west), 'running');
  await rebuild(central);
  await service.finish();
  assert.equal(await statusOf(service, central), 'running');
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
  // One that the service has never seen is not guessed at.
  await db.query(sql`update hosts set engine = 'qemu:other'`);
  assert.equal((await joined(db, clock, first, second).probe()).ok, false);
  await db.query(sql`update hosts set engine = ${`simulator:${engine}`}`);
  const started = joined(db, clock, first, second);
  assert.equal((await started.probe()).ok, true);
  assert.equal(await started.place(), engine);
  const reachable = (await started.hosts()).filter((host) => host.reachable).map(({ id }) => id);
  assert.deepEqual(reachable, [SECOND_HOST]);
});

test('while the database says nothing of clusters, those that were known are asked', async (t) => {
  const service = await Service.open(t);
  const { first, second, db, clock } = service;
  const store = new RecordedClusters(db);
  let isAway = true;
  store.clusters = async () => {
    if (isAway) throw new Error('the database is away');
    return listClusters(db);
  };
  const driver = joined(db, clock, first, second, { store });
  await assert.rejects(driver.hosts(), /database is away/);
  isAway = false;
  assert.equal((await driver.hosts()).length, 2);
  isAway = true;
  clock.advance(2_000);
  assert.equal((await driver.hosts()).length, 2);
  await service.add();
  isAway = false;
  clock.advance(2_000);
  assert.equal((await driver.hosts()).length, 3);
  isAway = true;
  clock.advance(2_000);
  assert.equal((await driver.hosts()).length, 3);
});

test('a node that has recorded a cluster knows it at once, whatever it was just reading', async (t) => {
  const service = await Service.open(t);
  const { first, second, db, clock } = service;
  const store = new RecordedClusters(db);
  const driver = joined(db, clock, first, second, { store });
  assert.equal((await driver.hosts()).length, 2);
  const before = Promise.withResolvers<[]>();
  store.clusters = () => before.promise;
  clock.advance(2_000);
  const reading = driver.hosts();
  await service.add();
  store.clusters = () => listClusters(db);
  driver.clusters!.changed();
  assert.equal((await driver.hosts()).length, 3);
  before.resolve([]);
  assert.equal((await reading).length, 3);
  assert.equal((await driver.hosts()).length, 3);
});

test('another cluster at the addresses of one is not believed: it knows nothing of the guests', async (t) => {
  const service = await Service.open(t);
  await service.add();
  const west = await service.buy(await service.customer(), WEST);
  service.second.place = 'other';
  await assert.rejects(service.compute.inspect(west), /is simulator:other, and not simulator:bbb/);
  await assert.rejects(service.compute.remove(west), ComputeUnavailableError);
  assert.equal((await service.compute.list()).find(({ id }) => id === west)?.power, 'unknown');
});

test('a cluster that is changed is asked by what is new, on every node, and goes on with its VMs', async (t) => {
  const service = await Service.open(t);
  await service.add();
  const { db, compute } = service;
  const west = await service.buy(await service.customer(), WEST);
  assert.deepEqual(service.opened, [['https://10.1.0.1:8443']]);
  await db.transaction(async (tx) => {
    await updateCluster(tx, { ...(await lockClusterOf(tx, WEST))!, endpoints: ['https://10.2.0.1:8443'] });
  });
  await service.pass(2);
  assert.deepEqual(service.opened, [['https://10.1.0.1:8443'], ['https://10.2.0.1:8443']]);
  assert.equal((await compute.inspect(west))?.power, 'running');
  assert.equal(await hostOf(service, west), SECOND_HOST);
  await service.buy(await service.customer(), WEST);
});

test('a cluster is removed once it has no VM, and its region goes back to the first one', async (t) => {
  const service = await Service.open(t);
  await service.add();
  const { db, clock, installation } = service;
  const { engine } = installation.services;
  const customer = await service.customer();
  const west = await service.buy(customer, WEST);
  const remove = () =>
    db.transaction(async (tx) => removeEmptyCluster(tx, (await lockClusterOf(tx, WEST))!.id, clock.now()));
  assert.equal(await remove(), false);
  await customer.must({ method: 'DELETE', path: `/v1/vm/${west}` });
  await service.finish();
  assert.equal(await remove(), true);
  await service.pass(2);
  assert.deepEqual(
    (await listHosts(db, engine)).map(({ name, lost_at }) => [name, lost_at]),
    [
      ['m1', null],
      ['m2', null],
    ],
  );
  assert.match((await hostOf(service, await service.buy(customer, WEST)))!, /^simulator:aaa:/);
  await assertInvariants(db);
  // And is there again as it was once it is added anew.
  await customer.must({ method: 'DELETE', path: `/v1/vm/${(await service.compute.list())[0]!.id}` });
  await service.finish();
  await service.add();
  assert.equal(await hostOf(service, await service.buy(customer, WEST)), SECOND_HOST);
});
