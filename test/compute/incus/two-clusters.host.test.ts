import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { type Customer, newCustomer, type Reply } from '../../chaos/support/customer.ts';
import { call } from '../../operator/support.ts';
import { vaubanctl } from '../../operator/vaubanctl.ts';
import { freshDatabaseLocation } from '../../support/database.ts';
import { TWO_OF_ONE } from '../../support/incus/cluster.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';
import { addressOf, directoryOf } from '../../support/incus/layout.ts';
import { killMember, startMember } from '../../support/incus/members.ts';
import { settingsOf } from '../../support/incus/settings.ts';
import { startService } from '../../support/service.ts';
import { catalogOfGuests, greets, PATIENCE, until } from './cloud.ts';

const [CENTRAL, WEST] = ['eu-central', 'eu-west'];
const GREETING_MS = 2_000;

const cluster = await inCluster(import.meta.filename, TWO_OF_ONE);

if (cluster) {
  test('two clusters, a region each: one that fails does not affect the other', PATIENCE, async (t) => {
    const location = await freshDatabaseLocation(t);
    const dataDir = location.env.VAUBAN_DATA_DIR;
    const catalog = join(dataDir, 'catalog.yaml');
    const pools = TWO_OF_ONE.map(({ gateways: [four, six] }): [string, string] => {
      return [four.replace(/1$/, '0/24'), six.replace(/1$/, '/64')];
    });
    await writeFile(catalog, await catalogOfGuests(pools));
    const env = settingsOf(cluster, catalog);
    const service = await startService(t, { location, env });
    const customer = await newCustomer(service);
    const first = await bought(customer, CENTRAL);

    const ctl = (...words: string[]) => vaubanctl(dataDir, 'cluster', ...words);
    const second = `https://${addressOf(2)}:8443`;
    const certificate = directoryOf(cluster, 2, 'incus/cluster.crt');
    const add = (endpoint: string, file: string, ...more: string[]) =>
      ctl('add', '--region', WEST!, '--endpoints', endpoint, '--certificate', file, ...more);
    const state = async () =>
      (await ctl('list')).stdout
        .split('\n')
        .slice(1, -1)
        .map((line) => line.split(/ {2,}/).slice(0, 4).join(' '));
    const alone = await state();
    assert.deepEqual(alone, ['eu-central, eu-west ok 1/1 1']);
    assert.match((await ctl('list')).stdout, /incus: incus \d\S*, 1 of 1 members online$/m);
    const lacking = await add(second, certificate, '--network', 'none0');
    assert.match(lacking.stderr, /network none0: /);
    const same = await add(cluster.endpoints[0]!, env.VAUBAN_INCUS_SERVER_CERTIFICATE!);
    assert.match(same.stderr, /^.*endpoints: belong to the existing cluster of the settings/m);
    assert.deepEqual([lacking.code, same.code, await state()], [1, 1, alone]);

    const added = await add(second, certificate);
    assert.equal(added.code, 0, added.stderr);
    assert.deepEqual(await state(), ['eu-central ok 1/1 1', 'eu-west ok 1/1 0']);
    const hosts = async () => {
      const { text } = await call(service.operatorSocket, 'GET', '/hosts');
      const all: { name: string; state: string }[] = JSON.parse(text).data;
      return all.map((host) => `${host.name} ${host.state}`).join(', ');
    };
    await until(async () => (await hosts()) === 'm1 up, m1@eu-west up');
    const other = await bought(customer, WEST);
    assert.match(other.ipv4, /^198\.51\.100\./);
    await until(() => greets(other.ipv4, GREETING_MS));
    const checked = await ctl('check');
    assert.match(checked.stdout, /^ok +eu-west: network vb0 +a bridge with 198\.51\.100\.1/m);
    assert.equal(checked.code, 0, checked.stdout);

    await killMember(cluster, 2);
    await until(async () => (await hosts()) === 'm1 up, m1@eu-west unreachable');
    assert.deepEqual(await state(), ['eu-central ok 1/1 1', 'eu-west unreachable 0/1 1']);
    const meanwhile = await bought(customer, CENTRAL);
    for (const reply of [
      await ask(customer, WEST),
      await customer.send('POST', `/v1/vm/${other.id}/stop`, { idempotencyKey: 'stop' }),
    ]) {
      assert.deepEqual([reply.status, reply.json.error.code], [503, 'compute_unavailable'], reply.text);
      assert.equal(reply.json.error.details.retry_after_seconds, 30);
    }
    assert.equal((await customer.ask('GET', `/v1/vm/${other.id}`)).status, 'running');
    const { regions } = await customer.ask('GET', '/v1/vm/catalog');
    assert.deepEqual(
      regions.map(({ code, available }: { code: string; available: boolean }) => [code, available]),
      [
        [CENTRAL, true],
        [WEST, false],
      ],
    );

    await startMember(cluster, 2);
    await until(async () => (await hosts()) === 'm1 up, m1@eu-west up');
    await bought(customer, WEST);
    const { status, active_job } = await customer.settled(other.id);
    assert.deepEqual([status, active_job], ['running', null]);
    await until(() => greets(other.ipv4, GREETING_MS));

    // The first member has no special role, even for a service that starts.
    await service.stop();
    await killMember(cluster, 1);
    customer.target = await startService(t, { location, env });
    await bought(customer, WEST);
    for (const { id } of [first, meanwhile])
      assert.equal((await customer.ask('GET', `/v1/vm/${id}`)).status, 'running');
    assert.equal((await ask(customer, CENTRAL)).status, 503);
    await startMember(cluster, 1);
    await until(async () => (await ask(customer, CENTRAL)).status === 200);
  });
}

function ask(customer: Customer, region: string | undefined): Promise<Reply> {
  const body = { plan: 'small', template: 'tiny', hostname: 'web', region };
  return customer.send('POST', '/v1/vm', { body, idempotencyKey: crypto.randomUUID() });
}

/** Buys a VM and waits until it runs. */
async function bought(customer: Customer, region: string | undefined) {
  const reply = await ask(customer, region);
  assert.equal(reply.status, 200, reply.text);
  const vm = await customer.settled(reply.json.data.vm.id);
  assert.equal(vm?.status, 'running');
  return vm;
}
