import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ComputeUnavailableError } from '../../server/compute/driver.ts';
import { pageOfAll } from '../../server/endpoints/customer/shared/page-of-all.ts';
import { partId } from '../../server/platform/derived-ids.ts';
import { makeVm, openApi } from './support.ts';

const VM = 'vm_01kdvdna0075qnmp31cnt8p0ft';

test('the id of a part follows from its VM, and says nothing that the VM does not', () => {
  assert.equal(partId('vol', VM), 'vol_01kdvdna0075qnmp31cnt8p0ft');
  assert.equal(partId('vol', VM, 'data'), partId('vol', VM, 'data'));
  assert.match(partId('vol', VM, 'data'), /^vol_01kdvdna00[0-9a-hjkmnp-tv-z]{16}$/);
  assert.notEqual(partId('vol', VM, 'data'), partId('vol', VM, 'logs'));
});

test('a list that is read whole comes in pages too', () => {
  const rows = ['a', 'c', 'b'].map((id) => ({ id }));
  const ids = (limit: number, afterId: string | null) =>
    pageOfAll(rows, { limit, afterId }).map(({ id }) => id);
  assert.deepEqual(ids(1, null), ['c', 'b']);
  assert.deepEqual(ids(1, 'c'), ['b', 'a']);
  assert.deepEqual(ids(5, 'b'), ['a']);
});

test('volumes and interfaces', async (t) => {
  const api = await openApi(t);
  const page = { limit: 50, next_cursor: null, has_more: false };

  await t.test('a VM has one interface with all of its addresses', async () => {
    const vm = await makeVm(api);
    const { data, pagination } = (await api.call('GET', `/v1/vm/${vm.id}/nics`)).body;
    assert.deepEqual(pagination, page);
    assert.equal(data.length, 1);
    const [{ ips, ...nic }] = data;
    assert.deepEqual(nic, {
      id: vm.id.replace('vm_', 'nic_'),
      name: 'eth0',
      mac: vm.mac,
      type: 'public',
      bandwidth_limit_bps: null,
    });
    const common = { primary: true, rdns: null, shield: null };
    assert.deepEqual(ips, [
      { address: ips[0].address, family: 4, prefix: 14, gateway: '100.64.0.1', ...common },
      { address: ips[1].address, family: 6, prefix: 48, gateway: '2001:db8:1::1', ...common },
    ]);
  });

  await t.test('its speed is that of the plan', async () => {
    const plan = api.services.catalog.plans.find(({ code }) => code === 's2')!;
    plan.network_mbps = 500;
    const vm = await makeVm(api, { plan: 's2' });
    const [nic] = (await api.call('GET', `/v1/vm/${vm.id}/nics`)).body.data;
    assert.equal(nic.bandwidth_limit_bps, 500_000_000);
  });

  await t.test("a volume has the engine's values", async () => {
    const vm = await makeVm(api);
    const { data, pagination } = (await api.call('GET', `/v1/vm/${vm.id}/volumes`)).body;
    assert.deepEqual(pagination, page);
    const [{ used_bytes, ...volume }] = data;
    assert.ok(Number.isInteger(used_bytes) && used_bytes > 0);
    assert.deepEqual(volume, {
      id: vm.id.replace('vm_', 'vol_'),
      name: 'root',
      size_gb: 20,
      type: 'ssd',
      boot: true,
      device: '/dev/vda',
      created_at: vm.created_at.toISOString(),
    });
  });

  await t.test('during the creation it has the expected values', async () => {
    const vm = await makeVm(api, { status: 'provisioning', provisioned_at: null, disk_gb: 80 });
    const [volume] = (await api.call('GET', `/v1/vm/${vm.id}/volumes`)).body.data;
    assert.equal(volume.id, vm.id.replace('vm_', 'vol_'));
    assert.equal(volume.size_gb, 80);
    assert.equal(volume.used_bytes, null);
  });

  await t.test('an engine that is away is a 503', async () => {
    const vm = await makeVm(api);
    api.services.compute.volumes = async () => {
      throw new ComputeUnavailableError('no route to host');
    };
    const { status, body } = await api.call('GET', `/v1/vm/${vm.id}/volumes`);
    assert.equal(status, 503);
    assert.equal(body.error.code, 'compute_unavailable');
    assert.ok(!JSON.stringify(body).includes('route'));
  });
});
