import assert from 'node:assert/strict';
import { MEMBERS, poolOf } from '../../support/incus/layout.ts';
import { fillable } from '../../support/small-disk.ts';
import type { Cloud, Vm } from './cloud.ts';

/** The size of each member's pool: it holds a few disks and is filled quickly. */
export const POOL_MB = 4_000;

/** Checks the state of a VM after a job failed for lack of disk space. */
async function assertNoRoom(cloud: Cloud, id: string, status: string): Promise<void> {
  const { last_job } = await cloud.settled(id, status);
  assert.deepEqual(
    [last_job.status, last_job.error?.code],
    ['failed', 'capacity_unavailable'],
    cloud.failures(id),
  );
}

/** Someone else fills the disk of one member; the customer has a VM on each of the other members. */
export async function diskFull(cloud: Cloud, vm: Vm): Promise<void> {
  const [other] = await cloud.buy(1);
  const taken = (await Promise.all([vm, other].map(({ id }) => cloud.membersOf(id)))).flat();
  const [member, ...more] = MEMBERS.filter((each) => !taken.includes(each));
  assert.deepEqual([more, taken.length], [[], 2], 'a VM on each of two members');
  const disk = fillable(poolOf(cloud.cluster, member!));

  await disk.fill();
  const id = await cloud.asked();
  assert.deepEqual(await cloud.membersOf(id), [member]);
  await assertNoRoom(cloud, id, 'error');
  await cloud.assertSound();
  await cloud.remove([id]);
  await cloud.assertSound();
  cloud.note('disk of a member full: a creation there', 1, 'error, capacity_unavailable; paid back');

  await othersGoOn(cloud, vm);
  cloud.note('disk of a member full: a VM of another is switched off and on, and saved', 1, 'done');

  await disk.makeRoom();
  const [inside] = await cloud.buy(1);
  assert.deepEqual(await cloud.membersOf(inside.id), [member]);
  await cloud.greeting(inside.ipv4);
  cloud.note('room made: a creation there', 1, 'made');
  await disk.fill();
  const { snapshot } = await cloud.customer.ask('POST', `/v1/vm/${inside.id}/snapshots`, {});
  await assertNoRoom(cloud, inside.id, 'running');
  await cloud.customer.ask('DELETE', `/v1/vm/${inside.id}/snapshots/${snapshot.id}`);
  await cloud.assertSame(inside);
  cloud.note('disk of a member full: a snapshot there', 1, 'capacity_unavailable; the VM runs on');
  assert.equal((await cloud.operate('POST', `/vms/${inside.id}/rebuild`, { template: 'tiny' })).status, 200);
  await assertNoRoom(cloud, inside.id, 'running');
  await cloud.assertSame(inside);
  cloud.note('disk of a member full: a rebuild there', 1, 'capacity_unavailable; the VM is what it was');

  await disk.makeRoom();
  await save(cloud, inside);
  assert.equal((await cloud.operate('POST', `/vms/${inside.id}/rebuild`, { template: 'tiny' })).status, 200);
  assert.equal(
    (await cloud.settled(inside.id, 'running')).last_job.status,
    'succeeded',
    cloud.failures(inside.id),
  );
  await cloud.assertSame(inside);
  cloud.note('room made: the same snapshot, the same rebuild', 1, 'done');
  await cloud.remove([other.id, inside.id]);
  await cloud.assertSound();
}

async function othersGoOn(cloud: Cloud, vm: Vm): Promise<void> {
  await cloud.customer.ask('POST', `/v1/vm/${vm.id}/stop`, {});
  await cloud.settled(vm.id, 'stopped');
  await cloud.customer.ask('POST', `/v1/vm/${vm.id}/start`, {});
  await cloud.assertSame(vm);
  await save(cloud, vm);
  await cloud.assertSame(vm);
}

async function save(cloud: Cloud, { id }: Vm): Promise<void> {
  const { snapshot } = await cloud.customer.ask('POST', `/v1/vm/${id}/snapshots`, {});
  const saved = await cloud.settled(id, 'running');
  assert.equal(saved.last_job.status, 'succeeded', cloud.failures(id));
  await cloud.customer.ask('DELETE', `/v1/vm/${id}/snapshots/${snapshot.id}`);
  await cloud.settled(id, 'running');
}
