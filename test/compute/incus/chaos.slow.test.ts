// Needs: root, Incus.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { NETWORK } from '../../support/incus/cluster.ts';
import { inCluster } from '../../support/incus/in-cluster.ts';
import { MEMBERS, run, spaceOf } from '../../support/incus/layout.ts';
import { Cloud, PATIENCE, until, type Vm } from './cloud.ts';

/**
 * Delays in milliseconds between the start of a job and the kill of its member. Most steps take a tenth of a second,
 * some take a second.
 */
const INTO_CREATION_MS = [0, 200, 500];
const INTO_DELETION_MS = [0, 200];
const INTO_MOVE_MS = [300, 800];

const cluster = await inCluster(import.meta.filename);

if (cluster) {
  test('killed members lose nothing, and nothing exists twice', PATIENCE, async (t) => {
    const cloud = await Cloud.start(t, cluster);
    await creations(cloud);
    await deletions(cloud);
    await moves(cloud);
    await withoutQuorum(cloud);
    cloud.print(t);
  });
}

async function creations(cloud: Cloud): Promise<void> {
  const outcomes: Record<string, number> = { running: 0, error: 0 };
  for (const ms of INTO_CREATION_MS) {
    const id = await cloud.asked();
    const [member] = await cloud.membersOf(id);
    await sleep(ms);
    await cloud.without([member!]);
    const { status } = await cloud.customer.settled(id);
    assert.ok(status in outcomes, cloud.failures(id));
    outcomes[status]!++;
    await cloud.assertSound();
    await cloud.remove([id]);
    await cloud.assertSound();
  }
  const { running, error } = outcomes;
  cloud.note('its member killed in a creation', INTO_CREATION_MS.length, `${running} made, ${error} undone`);
}

async function deletions(cloud: Cloud): Promise<void> {
  const vms = await cloud.buy(INTO_DELETION_MS.length);
  for (const [index, ms] of INTO_DELETION_MS.entries()) {
    const { id } = vms[index];
    const [member] = await cloud.membersOf(id);
    await cloud.customer.ask('DELETE', `/v1/vm/${id}`);
    await sleep(ms);
    await cloud.without([member!]);
    await cloud.settled(id, 'gone');
    await cloud.assertSound();
  }
  cloud.note('its member killed in a deletion', INTO_DELETION_MS.length, 'all deleted');
}

async function moves(cloud: Cloud): Promise<void> {
  const [vm] = await cloud.buy(1);
  for (const [index, which] of ['leaves', 'goes to'].entries()) {
    for (const ms of INTO_MOVE_MS) {
      const [from] = await cloud.membersOf(vm.id);
      await cloud.drain(from!, async () => {
        await until(async () => (await cloud.membersOf(vm.id)).length === 2);
        const killed = (await cloud.membersOf(vm.id))[index]!;
        await sleep(ms);
        await cloud.without([killed]);
      });
      await cloud.assertSame(vm);
      await dropStaleRoutes(cloud, vm);
    }
    cloud.note(`the member killed that a VM ${which} in a move`, INTO_MOVE_MS.length, 'all moved');
  }
  await cloud.remove([vm.id]);
}

/** Does what an operator must do after a daemon died and a guest of it ended in the meantime: see docs/incus.md. */
async function dropStaleRoutes(cloud: Cloud, { id, ipv4, ipv6 }: Vm): Promise<void> {
  const [own] = await cloud.membersOf(id);
  for (const member of MEMBERS.filter((each) => each !== own))
    for (const route of [`${ipv4}/32`, `${ipv6}/128`]) {
      const words = [
        'netns',
        'exec',
        spaceOf(cloud.cluster, member),
        'ip',
        'route',
        'del',
        route,
        'dev',
        NETWORK,
      ];
      await run('ip', ...words).catch(({ stderr }) => assert.match(stderr, /No such process/));
    }
}

/** New requests are refused and running ones wait. Once there is a quorum again, everything is done exactly once. */
async function withoutQuorum(cloud: Cloud): Promise<void> {
  const [vm] = await cloud.buy(1);
  const begun = await cloud.asked();
  const [idempotencyKey, stopKey] = [crypto.randomUUID(), crypto.randomUUID()];
  await cloud.without([2, 3], async () => {
    const refused = await cloud.ask(idempotencyKey);
    assert.deepEqual([refused.status, refused.json.error.code], [503, 'compute_unavailable'], refused.text);
    assert.ok(refused.json.error.details.retry_after_seconds > 0);
    await until(() => cloud.isLost());
    const stop = await cloud.customer.send('POST', `/v1/vm/${vm.id}/stop`, {
      body: {},
      idempotencyKey: stopKey,
    });
    assert.deepEqual([stop.status, stop.json.error.code], [503, 'compute_unavailable'], stop.text);
    assert.ok(stop.json.error.details.retry_after_seconds > 0);
    await cloud.greeting(vm.ipv4);
  });
  const stop = await cloud.customer.send('POST', `/v1/vm/${vm.id}/stop`, {
    body: {},
    idempotencyKey: stopKey,
  });
  assert.equal(stop.status, 200, stop.text);
  await cloud.settled(vm.id, 'stopped');
  const again = await cloud.ask(idempotencyKey);
  assert.equal(again.status, 200, again.text);
  const asked = again.json.data.vm.id;
  await cloud.settled(asked, 'running');
  const { status } = await cloud.customer.settled(begun);
  assert.match(status, /^(running|error)$/, cloud.failures(begun));
  await cloud.assertSound();
  await cloud.remove([vm.id, begun, asked]);
  await cloud.assertSound();
  const creation = status === 'running' ? 'made' : 'undone';
  cloud.note('two of three members killed: an order', 1, '503 with a hint, then made');
  cloud.note('two of three members killed: a stop', 1, '503 with a hint, then done');
  cloud.note('two of three members killed: a creation that had begun', 1, creation);
}
