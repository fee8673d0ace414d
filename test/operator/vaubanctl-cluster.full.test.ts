import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  ComputeUnavailableError,
  type EngineClusters,
  type EngineFinding,
  type EngineWants,
  type NewCluster,
} from '../../server/compute/driver.ts';
import { sql } from '../../server/db/database.ts';
import { RecordedClusters } from '../../server/db/queries/hosts/clusters.ts';
import { insertVmWithMac } from '../../server/domain/vms/mac.ts';
import { fundedAccount, newVm } from '../billing/support.ts';
import { startOperator } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

test('a check of an engine without clusters is refused with a hint', async (t) => {
  const { dataDir } = await startOperator(t);
  const { code, stderr } = await vaubanctl(dataDir, 'cluster', 'check');
  assert.equal(code, 1);
  assert.match(stderr, /The simulator engine is not a cluster\. Run vaubanctl doctor/);
});

test('a cluster is checked against the catalog, and only a requirement of every VM is a failure', async (t) => {
  const { dataDir, compute } = await startOperator(t);
  let asked: EngineWants | undefined;
  const findings: EngineFinding[] = [
    { what: 'quorum', state: 'ok', found: 'the cluster has a quorum' },
    { what: 'pool default', state: 'limited', found: 'dir cannot limit disks' },
  ];
  Object.assign(compute, {
    check: async (wants: EngineWants) => {
      asked = wants;
      return findings;
    },
  });
  const check = (...options: string[]) => vaubanctl(dataDir, 'cluster', 'check', ...options);
  const { code, stdout } = await check();
  assert.equal(code, 0);
  assert.match(stdout, /^limited +pool default +dir cannot limit disks$/m);
  const [region] = asked!.gateways;
  assert.deepEqual(region, { region: 'eu-central', addresses: ['100.64.0.1', '2001:db8:1::1'] });
  assert.ok(asked!.templates.includes('debian-12'));
  assert.ok(asked!.zones.includes('eu-central-a'));
  assert.deepEqual(JSON.parse((await check('--json')).stdout), { compute: 'simulator', findings });
  findings.push({ what: 'certificate', state: 'missing', found: 'not trusted' });
  assert.equal((await check()).code, 1);
  Object.assign(compute, {
    check: async () => {
      throw new ComputeUnavailableError('this node has lost its claim');
    },
  });
  const refused = await check();
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /The compute engine is not answering/);
});

/** Clusters from the operator's view: examining one finds it healthy, and recorded ones are listed. */
async function withClusters(t: TestContext) {
  const operator = await startOperator(t, {}, { VAUBAN_INCUS_NETWORK: 'b0' });
  const { db, compute, dataDir } = operator;
  const found = { id: 'simulator:two' as string | undefined, findings: [] as EngineFinding[] };
  const examined: { cluster: NewCluster; wants: EngineWants }[] = [];
  const report = { ok: true, summary: 'incus 6.0.4, 1 of 2 members online' };
  const clusters: EngineClusters = {
    async examine(cluster, wants) {
      examined.push({ cluster, wants });
      return found;
    },
    async list() {
      const recorded = await new RecordedClusters(db).clusters();
      return recorded.map(({ id, region, endpoints }) => {
        return {
          id,
          regions: [region],
          endpoints,
          reachable: true,
          report,
          members: { up: 1, total: 2 },
          guests: 3,
        };
      });
    },
    changed: () => {},
  };
  Object.assign(compute, { clusters });
  const run = (...args: string[]) => vaubanctl(dataDir, 'cluster', ...args);
  const add = (body: object = {}) =>
    operator.post('/clusters', { region: 'eu-west', endpoints: ['https://10.1.0.1:8443'], ...body });
  return { ...operator, found, report, examined, run, add };
}

test('a cluster is added with defaults from the settings, listed, and removed', async (t) => {
  const { run, examined, report, db } = await withClusters(t);
  const added = await run(
    'add',
    '--region',
    'eu-west',
    '--endpoints',
    'https://10.1.0.1:8443/, https://10.1.0.2:8443',
  );
  assert.equal(added.code, 0, added.stderr);
  assert.match(
    added.stdout,
    /^eu-west +ok +1\/2 +3 +https:\/\/10\.1\.0\.1:8443, https:\/\/10\.1\.0\.2:8443 +incus 6\.0\.4, 1 of 2 members online$/m,
  );
  const { cluster, wants } = examined[0]!;
  assert.deepEqual(cluster, {
    region: 'eu-west',
    endpoints: ['https://10.1.0.1:8443', 'https://10.1.0.2:8443'],
    certificate: null,
    network: 'b0',
    serviceNetworks: [],
    project: 'default',
    pool: 'default',
    cpuOvercommit: 4,
  });
  assert.ok(wants.zones.includes('eu-west-a'));
  assert.deepEqual(await new RecordedClusters(db).clusters(), [{ id: 'simulator:two', ...cluster }]);
  assert.equal((await run('list')).stdout, added.stdout);
  Object.assign(report, { ok: false, summary: 'incus: the network b0 is not a bridge managed by Incus' });
  assert.match(
    (await run('list')).stdout,
    /^eu-west +limited .* the network b0 is not a bridge managed by Incus$/m,
  );
  const removed = await run('remove', 'eu-west', '--yes');
  assert.equal(removed.stdout, 'The cluster of eu-west was removed.\n');
  assert.deepEqual(JSON.parse((await run('list', '--json')).stdout), []);
  assert.equal((await run('remove', 'eu-west', '--yes')).code, 1);
});

test('a cluster that lacks a requirement of every VM is refused by that item, and nothing is recorded', async (t) => {
  const { run, found, db } = await withClusters(t);
  found.findings.push(
    { what: 'pool default', state: 'limited', found: 'dir cannot limit disks' },
    { what: 'certificate', state: 'missing', found: 'the cluster does not trust this service' },
    { what: 'API', state: 'missing', found: 'lacks projects' },
  );
  const { code, stderr } = await run('add', '--region', 'eu-west', '--endpoints', 'https://10.1.0.1:8443');
  assert.equal(code, 1);
  assert.match(
    stderr,
    /VMs cannot run on this cluster: certificate: the cluster does not trust this service\. And missing: API\./,
  );
  assert.deepEqual(await new RecordedClusters(db).clusters(), []);
});

test('an unsuitable cluster for the region is refused by its field', async (t) => {
  const { add, found, db, engine, clock, examined } = await withClusters(t);
  const refusal = async (body: object) => {
    const reply = await add(body);
    assert.equal(reply.status, 422, reply.text);
    const [{ field, code }] = reply.json().error.details.fields;
    return `${field}: ${code}`;
  };
  assert.equal(await refusal({ region: 'mars' }), 'region: not_found');
  assert.equal(
    await refusal({ endpoints: ['https://10.1.0.1', 'http://10.1.0.2'] }),
    'endpoints.1: invalid_format',
  );
  assert.equal(await refusal({ endpoints: ['10.1.0.1'] }), 'endpoints.0: invalid_format');
  assert.equal(await refusal({ endpoints: [] }), 'endpoints: too_few');
  assert.equal(await refusal({ certificate: 'none' }), 'certificate: invalid_format');
  assert.equal(await refusal({ network: '../certificates' }), 'network: invalid_format');
  assert.equal(await refusal({ service_networks: ['10.1.0.1/8'] }), 'service_networks.0: invalid_format');
  assert.equal(await refusal({ cpu_overcommit: 0 }), 'cpu_overcommit: too_small');
  assert.deepEqual(examined, [], 'nothing was asked of any of them');
  found.id = engine;
  assert.equal(await refusal({}), 'endpoints: in_use');
  found.id = 'simulator:two';
  const vm = await insertVmWithMac(db, newVm(clock, await fundedAccount(db, clock), { region: 'eu-west' }));
  assert.equal(await refusal({}), 'region: in_use');
  await db.query(sql`update vms set deleted_at = now() where id = ${vm.id}`);
  assert.equal((await add()).status, 200);
  assert.equal(await refusal({}), 'region: in_use');
  assert.equal(await refusal({ region: 'eu-central' }), 'region: not_allowed');
  assert.equal((await new RecordedClusters(db).clusters()).length, 1);
});

test('a cluster is changed if it is the same one, and omitted fields stay', async (t) => {
  const { add, run, examined, found, db } = await withClusters(t);
  await add();
  const recorded = () => new RecordedClusters(db).clusters();
  const [before] = await recorded();
  const change = (...options: string[]) => run('change', 'eu-west', ...options);
  const moved = await change('--endpoints', 'https://10.2.0.1:8443', '--cpu-overcommit', '2');
  assert.equal(moved.code, 0, moved.stderr);
  assert.match(moved.stdout, /^eu-west +ok .*https:\/\/10\.2\.0\.1:8443 /m);
  const after = { ...before!, endpoints: ['https://10.2.0.1:8443'], cpuOvercommit: 2 };
  assert.deepEqual(await recorded(), [after]);
  assert.deepEqual(examined.at(-1)!.cluster.endpoints, after.endpoints, 'it was asked there first');

  found.findings.push({ what: 'image debian-12', state: 'missing', found: 'there is none' });
  assert.equal((await change('--service-networks', '10.2.0.250')).code, 0);
  assert.deepEqual(await recorded(), [{ ...after, serviceNetworks: ['10.2.0.250'] }]);

  for (const [other, said] of [
    ['simulator:three', /a different cluster: simulator:three instead of simulator:two/],
    [undefined, /a different cluster: one that this service has never used/],
  ] as const) {
    found.id = other;
    const refused = await change('--endpoints', 'https://10.3.0.1:8443');
    assert.equal(refused.code, 1);
    assert.match(refused.stderr, said);
  }
  assert.deepEqual((await recorded())[0]!.endpoints, after.endpoints);
});

test('a change of a cluster that cannot be is refused by its field, and asks nothing of it', async (t) => {
  const { add, examined, post } = await withClusters(t);
  await add();
  const asked = examined.length;
  const change = (body: object, region = 'eu-west') => post(`/clusters/${region}/change`, body);
  const refusal = async (body: object) => {
    const reply = await change(body);
    assert.equal(reply.status, 422, reply.text);
    const [{ field, code }] = reply.json().error.details.fields;
    return `${field}: ${code}`;
  };
  assert.equal(await refusal({ endpoints: ['http://10.2.0.1'] }), 'endpoints.0: invalid_format');
  assert.equal(await refusal({ certificate: 'none' }), 'certificate: invalid_format');
  assert.equal(await refusal({ network: 'b1' }), 'network: unknown_field');
  assert.equal(await refusal({ cpu_overcommit: 0 }), 'cpu_overcommit: too_small');
  assert.equal((await change({})).status, 422);
  assert.equal((await change({ cpu_overcommit: 2 }, 'eu-central')).status, 404);
  assert.equal(examined.length, asked);
  assert.equal((await change({ certificate: null })).status, 200);
});

test('a cluster with VMs is not removed', async (t) => {
  const { add, run, db, clock } = await withClusters(t);
  await add();
  const host = 'simulator:two:m1';
  await db.query(sql`
    insert into hosts (id, engine, name, seen_at) values (${host}, 'simulator', 'm1@eu-west', ${clock.now()})`);
  const vm = await insertVmWithMac(db, newVm(clock, await fundedAccount(db, clock)));
  await db.query(sql`update vms set host_id = ${host} where id = ${vm.id}`);
  const { code, stderr } = await run('remove', 'eu-west', '--yes');
  assert.equal(code, 1);
  assert.match(stderr, /The cluster of eu-west has VMs/);
  assert.equal((await new RecordedClusters(db).clusters()).length, 1);
});

test('an engine without clusters has none to list or add to', async (t) => {
  const { dataDir } = await startOperator(t);
  for (const args of [['list'], ['add', '--region', 'eu-west', '--endpoints', 'https://10.1.0.1:8443']]) {
    const { code, stderr } = await vaubanctl(dataDir, 'cluster', ...args);
    assert.equal(code, 1);
    assert.match(stderr, /The simulator engine is not a cluster/);
  }
});
