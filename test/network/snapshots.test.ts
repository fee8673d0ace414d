import assert from 'node:assert/strict';
import { test } from 'node:test';
import { makeVm, openApi } from './support.ts';

test('snapshots', async (t) => {
  const api = await openApi(t);
  const snapshotsOf = (vm: { id: string }) => `/v1/vm/${vm.id}/snapshots`;
  const list = async (vm: { id: string }) => (await api.call('GET', snapshotsOf(vm))).body.data;
  const take = async (vm: { id: string }, body?: object) => {
    const reply = await api.call('POST', snapshotsOf(vm), body);
    assert.equal(reply.status, 200);
    await api.runner.runToEnd(reply.body.data.job.id);
    return reply.body.data.snapshot;
  };

  await t.test('one is taken and deleted by jobs, while the VM keeps its state', async () => {
    const vm = await makeVm(api);
    const created = await api.call('POST', snapshotsOf(vm), { name: 'before', description: 'upgrade' });
    assert.equal(created.status, 200);
    const { snapshot, job } = created.body.data;
    assert.equal(job.kind, 'snapshot_create');
    const pending = { name: 'before', description: 'upgrade', status: 'creating', size_bytes: null };
    const { id, created_at } = snapshot;
    assert.deepEqual(snapshot, { id, ...pending, includes_memory: false, created_at });
    assert.equal((await api.call('GET', `/v1/vm/${vm.id}`)).body.data.status, 'running');
    const locked = await api.call('DELETE', `${snapshotsOf(vm)}/${id}`);
    assert.equal(locked.body.error.code, 'vm_locked');
    assert.deepEqual(locked.body.error.details, { job_id: job.id, job_kind: 'snapshot_create' });

    await api.runner.runToEnd(job.id);
    const [taken] = await list(vm);
    assert.equal(taken.status, 'available');
    assert.ok(taken.size_bytes > 0);

    const deleted = await api.call('DELETE', `${snapshotsOf(vm)}/${id}`);
    assert.equal(deleted.status, 200);
    assert.equal(deleted.body.data.id, id);
    assert.equal(deleted.body.data.job.kind, 'snapshot_delete');
    assert.equal((await list(vm))[0].status, 'deleting');
    await api.runner.runToEnd(deleted.body.data.job.id);
    assert.deepEqual(await list(vm), []);
    assert.equal((await api.call('DELETE', `${snapshotsOf(vm)}/${id}`)).status, 404);
    assert.deepEqual((await api.services.compute.inspect(vm.id))!.snapshotIds, []);
  });

  await t.test('without a body it is named after the time', async () => {
    const vm = await makeVm(api, { status: 'stopped' });
    assert.equal((await take(vm)).name, 'snapshot-20260101-000000');
    assert.equal((await take(vm, {})).description, null);
  });

  await t.test('one that fails says so, and can be deleted', async () => {
    const vm = await makeVm(api, { hostname: 'sim-fail-snapshot' });
    const { id } = await take(vm);
    assert.equal((await list(vm))[0].status, 'error');
    const { job } = (await api.call('DELETE', `${snapshotsOf(vm)}/${id}`)).body.data;
    await api.runner.runToEnd(job.id);
    assert.deepEqual(await list(vm), []);
  });

  await t.test('a sixth is refused', async () => {
    const vm = await makeVm(api);
    for (let n = 0; n < 5; n++) await take(vm);
    const { error } = (await api.call('POST', snapshotsOf(vm))).body;
    assert.equal(error.code, 'quota_exceeded');
    assert.deepEqual(error.details, { limit: 5, used: 5, resource: 'snapshots_per_vm' });
  });

  await t.test('only of a VM that is running or stopped', async () => {
    const code = async (status: 'starting' | 'suspended' | 'deleting') =>
      (await api.call('POST', snapshotsOf(await makeVm(api, { status })))).body.error.code;
    assert.equal(await code('starting'), 'invalid_state');
    assert.equal(await code('deleting'), 'invalid_state');
    assert.equal(await code('suspended'), 'vm_suspended');
  });

  await t.test('names and descriptions have their limits', async () => {
    const vm = await makeVm(api);
    for (const body of [
      { name: '' },
      { name: 'x'.repeat(65) },
      { description: 'x'.repeat(501) },
      { nme: 'x' },
    ]) {
      assert.equal((await api.call('POST', snapshotsOf(vm), body)).status, 422);
    }
    assert.deepEqual(await list(vm), []);
  });

  await t.test("another account's are not there", async () => {
    const [vm, other] = [await makeVm(api), await makeVm(api)];
    const { id } = await take(vm);
    const stranger = await api.strangersKey();
    assert.equal((await api.call('GET', snapshotsOf(vm), undefined, stranger)).status, 404);
    assert.equal((await api.call('POST', snapshotsOf(vm), {}, stranger)).status, 404);
    assert.equal((await api.call('DELETE', `${snapshotsOf(vm)}/${id}`, undefined, stranger)).status, 404);
    assert.equal((await api.call('DELETE', `${snapshotsOf(other)}/${id}`)).status, 404);
  });
});
