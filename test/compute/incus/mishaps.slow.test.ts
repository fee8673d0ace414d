// Needs: root, Incus.
import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { defer } from '../../support/cleanup.ts';
import { NETWORK, OF_THREE, POOL } from '../../support/incus/cluster.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';
import { incus, instanceOf, run } from '../../support/incus/layout.ts';
import { Cloud, FOREIGN, PATIENCE, until, type Vm } from './cloud.ts';
import { diskFull, POOL_MB } from './full-disk.ts';

/** Cuts the service off from the cluster. Members reach each other over a bridge, which this rule does not affect. */
const CUT =
  'table inet cut { chain out { type filter hook output priority 0; tcp dport 8443 reject with tcp reset; }; }';

const cluster = await inCluster(import.meta.filename, OF_THREE, { poolMb: POOL_MB });

if (cluster) {
  test('failures of a cluster lose nothing, and foreign objects are not touched', PATIENCE, async (t) => {
    const cloud = await Cloud.start(t, cluster);
    const [vm] = await cloud.buy(1);
    const foreign = await makeForeign(cloud, vm);
    const before = await foreign();
    await revoked(cloud, vm);
    await eventsLost(t, cloud, vm);
    await nodeKilled(cloud, vm);
    await diskFull(cloud, vm);
    await cloud.remove([vm.id]);
    await cloud.assertSound();
    assert.deepEqual(await foreign(), before);
    cloud.note('instances of others beside all that', before.length, 'as they were');
    cloud.print(t);
  });
}

/** Creates an operator's own running instance and a copy of a guest, which carries all of the service's metadata. */
async function makeForeign(cloud: Cloud, { id }: Vm): Promise<() => Promise<object[]>> {
  const place = ['-n', NETWORK, '-s', POOL];
  const copy = `${instanceOf(id)}${FOREIGN}`;
  // The name is unique to this cluster: on this machine the instance's control groups are named after it.
  const own = `web-${process.pid}${FOREIGN}`;
  await incus(cloud.cluster, 'launch', 'tiny', own, '--target', 'm2', ...place, '-q');
  await incus(cloud.cluster, 'copy', '--stateless', instanceOf(id), copy, '--target', 'm3', '-q');
  return async () => {
    const found = (await cloud.instances()).filter(({ name }) => name.endsWith(FOREIGN));
    assert.equal(found.length, 2);
    // The instances' resource usage is irrelevant here.
    return found.map(({ state: _, ...rest }) => rest);
  };
}

async function revoked(cloud: Cloud, vm: Vm): Promise<void> {
  const trust = (...words: string[]) => incus(cloud.cluster, 'config', 'trust', ...words);
  const all: { name: string; fingerprint: string }[] = JSON.parse(await trust('list', '--format', 'json'));
  await trust('remove', all.find(({ name }) => name === 'vauban')!.fingerprint);
  // The service caches the state of the hosts for a moment.
  await until(async () => (await cloud.order('/unreachable')) === null);
  const idempotencyKey = crypto.randomUUID();
  const refused = await cloud.ask(idempotencyKey);
  assert.deepEqual([refused.status, refused.json.error.code], [503, 'compute_unavailable'], refused.text);
  assert.ok(refused.json.error.details.retry_after_seconds > 0);
  await trust('add-certificate', join(cloud.cluster.directory, 'client.crt'), '--name', 'vauban');
  await until(() => cloud.isWhole());
  const again = await cloud.ask(idempotencyKey);
  assert.equal(again.status, 200, again.text);
  await cloud.settled(again.json.data.vm.id, 'running');
  await cloud.assertSame(vm);
  await cloud.remove([again.json.data.vm.id]);
  await cloud.assertSound();
  cloud.note('certificate revoked, and trusted again', 1, '503 with a hint, then made');
}

/** A guest powers itself off while the service cannot receive events; the service learns about it from the list. */
async function eventsLost(t: TestContext, cloud: Cloud, vm: Vm): Promise<void> {
  const name = instanceOf(vm.id);
  await cloud.greeting(vm.ipv4);
  let isCut = true;
  const mend = async () => {
    if (isCut) await run('nft', 'delete', 'table', 'inet', 'cut');
    isCut = false;
  };
  await run('nft', CUT);
  defer(t, mend);
  // This ends the first process of the guest, and with it the connection of this command.
  await incus(cloud.cluster, 'exec', name, '--', 'kill', '-PWR', '1').catch(() => {});
  await until(async () => (await cloud.instances()).find((one) => one.name === name)?.status === 'Stopped');
  assert.equal((await cloud.customer.ask('GET', `/v1/vm/${vm.id}`)).status, 'running');
  await mend();
  await cloud.customer.until(vm.id, ({ status }) => status === 'stopped');
  await until(() => cloud.isWhole());
  const events: { type: string }[] = await cloud.customer.ask('GET', `/v1/vm/${vm.id}/events?limit=100`);
  const types = events.map(({ type }) => type);
  assert.equal(types.filter((type) => type === 'guest.powered_off').length, 1);
  assert.ok(!types.includes('vm.start_requested'), 'switched off from the inside, it stays off');
  await cloud.assertSound();
  await cloud.customer.ask('POST', `/v1/vm/${vm.id}/start`, {});
  await cloud.assertSame(vm);
  cloud.note('events lost while a guest powers itself off', 1, 'told by the list, once; it stays off');
}

async function nodeKilled(cloud: Cloud, vm: Vm): Promise<void> {
  const phases = ['before', 150, 500, 'after'];
  for (const phase of phases) {
    const [from] = await cloud.membersOf(vm.id);
    const { pid } = cloud.service;
    await cloud.order('/die', { kind: 'move', step: 'move_guest', phase });
    // The reply may be cut off.
    await cloud.operate('POST', `/hosts/m${from}/drain`).catch(() => {});
    await until(async () => !existsSync(`/proc/${pid}/exe`));
    await cloud.revive();
    await cloud.drain(from!);
    await cloud.assertSame(vm);
  }
  cloud.note('service killed in a move', phases.length, 'all moved after its next start');
}
