import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type TestContext, test } from 'node:test';
import { askHosts, askOffer } from '../../server/compute/ask.ts';
import { passwordMatches } from '../../server/compute/simulator/guest-os/model/password.ts';
import type { Operation } from '../../server/compute/simulator/sentinels.ts';
import { sql } from '../../server/db/database.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { systemFindVmView } from '../../server/db/queries/vms/operator-vms.ts';
import { updateVm } from '../../server/db/queries/vms/vms.ts';
import { decideRebuild, type RebuildRequest } from '../../server/domain/vms/rebuild-vm.ts';
import { decideRestore } from '../../server/domain/vms/restore-vm.ts';
import { startByOperator } from '../../server/endpoints/operator/vms/start-by-operator.ts';
import { openOpsSession } from '../../server/guest-ssh/connect.ts';
import { OpsKeyReplacement } from '../../server/guest-ssh/replace-ops-key.ts';
import { Failures } from '../../server/platform/failures.ts';
import { Fixture, type Scenario } from './support/fixture.ts';
import { reconcile } from './support/guests.ts';

const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl laptop';

async function openWorld(t: TestContext, { snapshot = true } = {}) {
  const fixture = await Fixture.open(t);
  const [scenario] = (await fixture.scenes(1, 'running', snapshot)) as [Scenario];
  const { services } = fixture.installation;
  const vmId = scenario.vmId!;
  const must = (method: 'GET' | 'POST', path: string, body?: object) =>
    scenario.customer.must({ method, path: `/v1/vm/${vmId}${path}`, body });
  return {
    fixture,
    scenario,
    services,
    vmId,
    must,
    vm: async () => (await systemFindVmView(services.db, vmId))!,
    async rebuild(request: RebuildRequest) {
      const offer = await askOffer(services, request);
      const { job, decided } = await startByOperator(services, vmId, 'rebuild', (tx, vm) =>
        decideRebuild(tx, services, vm, request, offer),
      );
      return { job, initialPassword: decided.initialPassword };
    },
    async restore(snapshotId = scenario.snapshotId!) {
      const hosts = await askHosts(services);
      return startByOperator(services, vmId, 'snapshot_restore', (tx, vm) =>
        decideRestore(tx, vm, snapshotId, hosts),
      );
    },
    /** Logs in like consoles and the agent: only to the host key of the first login. */
    async logIn() {
      const client = await openOpsSession(
        services,
        await systemFindVmView(services.db, vmId).then((vm) => vm!),
      );
      client.end();
      await once(client, 'close');
    },
  };
}

test('a rebuild keeps the sale and the addresses, and no earlier access to the guest', async (t) => {
  const { scenario, fixture, services, vmId, must, vm, rebuild, logIn } = await openWorld(t);
  const { db } = services;
  await must('POST', '/firewall', {
    direction: 'in',
    action: 'accept',
    protocol: 'tcp',
    ports: '443',
    cidrs: ['0.0.0.0/0'],
  });
  await must('POST', '/port-forwarding', { protocol: 'tcp', internal_port: 80 });
  await must('POST', '/console-shares', { mode: 'read_only' });
  const conversation = await must('POST', '/ai-agent/clear');
  await services.network.idle();
  await logIn();
  const [before, network, wallet] = [
    await vm(),
    (await new SimulatorGuests(db).readGuest(vmId))!.network,
    await scenario.customer.wallet(),
  ];

  await rebuild({ template: 'alpine-3.22', delete_snapshots: true });
  assert.equal((await vm()).status, 'provisioning');
  await fixture.finish();
  await logIn();

  const after = await vm();
  assert.equal(after.status, 'running');
  const kept = (row: typeof after) => [
    row.ipv4,
    row.ipv6,
    row.mac,
    row.plan,
    row.price_monthly_minor,
    row.disk_gb,
  ];
  assert.deepEqual(kept(after), kept(before));
  assert.deepEqual(
    [after.template, (await new SimulatorGuests(db).readGuest(vmId))!.template],
    ['alpine-3.22', 'alpine-3.22'],
  );
  assert.deepEqual((await new SimulatorGuests(db).readGuest(vmId))!.network, network);
  assert.deepEqual(await scenario.customer.wallet(), wallet);
  assert.deepEqual(await must('GET', '/console-shares'), []);
  assert.deepEqual(await must('GET', '/snapshots'), []);
  assert.notEqual((await must('GET', '/ai-agent/status')).session_id, conversation.session_id);
  const [use] = await db.query<{ until_at: Date | null }>(
    sql`select until_at from snapshot_usage where vm_id = ${vmId}`,
  );
  assert.deepEqual(use?.until_at, services.clock.now());
  const types: string[] = (await must('GET', '/events')).map(({ type }: { type: string }) => type);
  assert.deepEqual(types.filter((type) => type.startsWith('vm.rebuil')).toSorted(), [
    'vm.rebuild_requested',
    'vm.rebuilt',
  ]);
});

test("logins after a rebuild: the VM's keys, others, or a new password", async (t) => {
  const { scenario, fixture, services, vmId, rebuild } = await openWorld(t, { snapshot: false });
  const { db } = services;
  const { initialPassword } = await rebuild({ template: 'debian-12' });
  await fixture.finish();
  assert.ok(
    passwordMatches((await new SimulatorGuests(db).readGuest(vmId))!.initialPassword!, initialPassword!),
  );

  const body = { name: 'laptop', public_key: PUBLIC_KEY };
  const key = await scenario.customer.must({ method: 'POST', path: '/v1/vm/sshkeys', body });
  for (const ssh_key_ids of [[key.id], undefined]) {
    assert.equal((await rebuild({ template: 'debian-12', ssh_key_ids })).initialPassword, null);
    await fixture.finish();
    const { authorizedKeys, initialPassword: none } = (await new SimulatorGuests(db).readGuest(vmId))!;
    assert.equal(none, null);
    assert.ok(
      authorizedKeys.some((line) => line.startsWith(PUBLIC_KEY.slice(0, 60))),
      authorizedKeys.join(),
    );
  }
});

test('a VM in error without a guest is rebuilt', async (t) => {
  const { fixture, services, vmId, vm, rebuild, must } = await openWorld(t);
  const network = (await new SimulatorGuests(services.db).readGuest(vmId))!.network;
  await services.compute.remove(vmId);
  await reconcile(fixture);
  assert.equal((await vm()).status, 'error');
  await rebuild({ template: 'debian-12', delete_snapshots: true });
  await fixture.finish();
  assert.equal((await vm()).status, 'running', JSON.stringify((await must('GET', '/jobs?status=all'))[0]));
  assert.deepEqual((await new SimulatorGuests(services.db).readGuest(vmId))!.network, network);
});

test('a failed snapshot does not prevent a rebuild, and is gone after it', async (t) => {
  const { fixture, scenario, vm, must, rebuild } = await openWorld(t);
  const path = `/v1/vm/${scenario.vmId}/snapshots`;
  const failing = (wanted: Operation) => ({
    engine: (_: number, operation: Operation) => {
      if (operation === wanted) throw new Error('the disk is full');
    },
  });
  const { snapshotId } = scenario;
  await fixture.play(scenario, { method: 'POST', path }, failing('createSnapshot'));
  const states = async () =>
    (await must('GET', '/snapshots')).map(({ status }: { status: string }) => status);
  const lost = async () =>
    (await must('GET', '/delete-preview')).data_lost.filter(
      ({ type }: { type: string }) => type === 'snapshot',
    ).length;
  assert.deepEqual([await states(), await lost()], [['error', 'available'], 1]);
  await assert.rejects(rebuild({ template: 'debian-12' }), {
    code: 'invalid_state',
    message: /has 1 snapshot,/,
    details: { snapshots: 1 },
  });
  // A snapshot whose deletion failed counts as deleted by its owner, too.
  await fixture.play(
    scenario,
    { method: 'DELETE', path: `${path}/${snapshotId}` },
    failing('deleteSnapshot'),
  );
  assert.deepEqual([await states(), await lost()], [['error', 'error'], 0]);
  await rebuild({ template: 'debian-12' });
  await fixture.finish();
  assert.deepEqual([(await vm()).status, await states()], ['running', []]);
  assert.deepEqual((await fixture.installation.services.compute.inspect(scenario.vmId!))!.snapshotIds, []);
});

test('an impossible restore or rebuild is refused, and nothing is begun', async (t) => {
  const { scenario, services, vmId, vm, restore, rebuild } = await openWorld(t);
  const { db, clock } = services;
  const template = 'debian-12';
  const refuse = async (asked: () => Promise<unknown>, code: string) => {
    await assert.rejects(asked, { code });
    assert.equal((await vm()).active_job, null);
  };
  await refuse(() => restore('snap_unknown'), 'not_found');
  await refuse(() => rebuild({ template }), 'invalid_state');
  await refuse(() => rebuild({ template: 'plan-9' }), 'unknown_template');
  await refuse(() => rebuild({ template, ssh_key_ids: ['key_unknown'] }), 'validation_failed');
  await updateVm(db, vmId, { disk_gb: 1 }, clock.now());
  await refuse(() => rebuild({ template, delete_snapshots: true }), 'validation_failed');
  await updateVm(db, vmId, { disk_gb: 40, status: 'suspended' }, clock.now());
  await refuse(() => restore(), 'vm_suspended');
  await refuse(() => rebuild({ template, delete_snapshots: true }), 'vm_suspended');
  await updateVm(db, vmId, { status: 'error', deletion_failed_at: clock.now() }, clock.now());
  await refuse(() => restore(), 'invalid_state');
  await refuse(() => rebuild({ template, delete_snapshots: true }), 'invalid_state');
  await updateVm(db, vmId, { status: 'running', deletion_failed_at: null }, clock.now());
  await db.query(sql`update snapshots set status = 'error' where id = ${scenario.snapshotId}`);
  await refuse(() => restore(), 'invalid_state');
  await db.query(sql`update snapshots set status = 'available' where id = ${scenario.snapshotId}`);
  await restore();
  await assert.rejects(restore(), { code: 'vm_locked' });
  await assert.rejects(rebuild({ template }), { code: 'vm_locked' });
});

test("after a restore the service logs in with the snapshot's ops key", async (t) => {
  const { scenario, fixture, services, restore, logIn } = await openWorld(t);
  const { opsKeys } = services;
  const replacement = new OpsKeyReplacement(services, new Failures(services));
  // The snapshot was taken before the first login, so its guest generates another host key.
  await logIn();
  await opsKeys.rotate();
  await replacement.run();
  await logIn();
  assert.equal((await opsKeys.all()).length, 2, 'what only a snapshot has is kept');
  await restore();
  await fixture.finish();
  await logIn();
  await replacement.run();
  await logIn();
  await scenario.customer.must({
    method: 'DELETE',
    path: `/v1/vm/${scenario.vmId}/snapshots/${scenario.snapshotId}`,
  });
  await fixture.finish();
  await replacement.run();
  assert.equal((await opsKeys.all()).length, 1);
});
