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
} from '../../server/db/queries/hosts/clusters.ts';
import { listHosts } from '../../server/db/queries/hosts/hosts.ts';
import { decideRebuild } from '../../server/domain/vms/rebuild-vm.ts';
import { startByOperator } from '../../server/endpoints/operator/vms/start-by-operator.ts';
import { emptyHosts } from '../../server/jobs/reconcilers/empty-hosts.ts';
import { assertInvariants } from '../support/invariants.ts';
import { hostOf, joined, order, SECOND, SECOND_HOST, Service, statusOf, WEST } from './clusters-support.ts';

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
  // The other cluster has capacity, but it is not used.
  await db.query(sql`update hosts set state = 'draining' where id = ${SECOND_HOST}`);
  await emptyHosts(installation.services);
  await service.finish();
  assert.equal(await hostOf(service, west), SECOND_HOST);
  await assert.rejects(service.compute.move(west, { hostId: hosts[0]! }, 'cold'), /guests cannot move/);
  await customer.must({ method: 'DELETE', path: `/v1/vm/${west}` });
  await service.finish();
  assert.equal((await service.compute.list()).length, 2);
  await assertInvariants(db);
});

test('a sale on the first cluster just before its region got its own is refunded', async (t) => {
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

test('an image that one region lacks is missing only there', async (t) => {
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

test('while the database lists no clusters, the known ones are asked', async (t) => {
  const service = await Service.open(t);
  const { first, second, db, clock } = service;
  const store = new RecordedClusters(db);
  let isAway = true;
  store.clusters = async () => {
    if (isAway) throw new Error('the database cannot be reached');
    return listClusters(db);
  };
  const driver = joined(db, clock, first, second, { store });
  await assert.rejects(driver.hosts(), /database cannot be reached/);
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

test('a node that has recorded a cluster knows it at once, even during a read', async (t) => {
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

test('another cluster at the same addresses is not trusted: it knows nothing of the guests', async (t) => {
  const service = await Service.open(t);
  await service.add();
  const west = await service.buy(await service.customer(), WEST);
  service.second.place = 'other';
  await assert.rejects(service.compute.inspect(west), /is simulator:other, not simulator:bbb/);
  await assert.rejects(service.compute.remove(west), ComputeUnavailableError);
  assert.equal((await service.compute.list()).find(({ id }) => id === west)?.power, 'unknown');
});

test('a changed cluster is reached by the new settings, on every node, and keeps its VMs', async (t) => {
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

test('a cluster can be removed once it has no VM, and its region returns to the first one', async (t) => {
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
  // Adding the cluster again restores it as it was.
  await customer.must({ method: 'DELETE', path: `/v1/vm/${(await service.compute.list())[0]!.id}` });
  await service.finish();
  await service.add();
  assert.equal(await hostOf(service, await service.buy(customer, WEST)), SECOND_HOST);
});
