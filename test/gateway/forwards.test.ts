import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { insertPortForward } from '../../server/db/queries/vms/network.ts';
import { creditAccount } from '../../server/domain/accounts/book-payment.ts';
import { GatewayUnavailableError } from '../../server/gateway/driver.ts';
import { newId } from '../../server/platform/ids.ts';
import { makeVm, openApi, type TestApi } from '../network/support.ts';
import { withCapabilities } from '../support/capabilities.ts';
import { RecordingGateway } from './support/recorder.ts';

const forwardsOf = (vm: { id: string }) => `/v1/vm/${vm.id}/port-forwarding`;
const SSH = { protocol: 'tcp', internal_port: 22 };

const statusOf = async (api: TestApi, vm: { id: string }): Promise<string[]> =>
  (await api.call('GET', forwardsOf(vm))).body.data
    .map(({ status }: { status: string }) => status)
    .toSorted();

async function settled({ services: { network, forwards } }: TestApi): Promise<void> {
  await network.idle();
  await forwards.idle();
}

async function add(api: TestApi, vm: { id: string }, port: number) {
  const reply = await api.call('POST', forwardsOf(vm), { ...SSH, external_port: port });
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body.data as { id: string; internal_ip: string };
}

test('with a gateway a guest of an engine that forwards nothing has forwards, which the engine never sees', async (t) => {
  const gateway = new RecordingGateway();
  const api = await openApi(t, { gateway });
  const { db, compute, network } = api.services;
  await withCapabilities(compute, { portForwards: false }, async () => {
    const vm = await makeVm(api);
    const { id, internal_ip: internalIp } = await add(api, vm, 20_022);
    await settled(api);
    assert.deepEqual(await statusOf(api, vm), ['active']);
    const entry = {
      protocol: 'tcp',
      publicIp: '192.0.2.10',
      externalPort: 20_022,
      internalIp,
      internalPort: 22,
    };
    assert.deepEqual(gateway.applied.at(-1), [entry]);
    assert.deepEqual((await new SimulatorGuests(db).readGuest(vm.id))!.network!.portForwards, []);

    await api.call('DELETE', `${forwardsOf(vm)}/${id}`);
    await settled(api);
    assert.deepEqual(gateway.ports, []);
    assert.deepEqual(await statusOf(api, vm), []);

    const other = await makeVm(api, { region: 'eu-west', zone: 'eu-west-a' });
    await add(api, other, 20_022);
    await network.apply(other.id);
    await settled(api);
    assert.deepEqual(gateway.ports, [], 'the gateway of another region');
    assert.deepEqual(await statusOf(api, other), ['pending']);
  });
});

test('on a node that is no gateway a forward waits for one, and is neither active nor deleted before', async (t) => {
  const gateway = new RecordingGateway();
  const api = await openApi(t, { gateway });
  const vm = await makeVm(api);
  const here = gateway.can;
  gateway.can = { ...here, forwards: 'elsewhere' };
  const { id } = await add(api, vm, 20_022);
  await settled(api);
  await api.services.network.apply(vm.id);
  assert.deepEqual(await statusOf(api, vm), ['pending']);
  gateway.can = here;
  await api.services.forwards.apply();
  assert.deepEqual(await statusOf(api, vm), ['active']);
  gateway.can = { ...here, forwards: 'elsewhere' };
  await api.call('DELETE', `${forwardsOf(vm)}/${id}`);
  await settled(api);
  assert.deepEqual(await statusOf(api, vm), ['removing']);
  const again = await api.call('POST', forwardsOf(vm), { ...SSH, external_port: 20_022 });
  assert.equal(again.body.error.code, 'port_in_use');
  gateway.can = here;
  await api.services.forwards.apply();
  assert.deepEqual(await statusOf(api, vm), []);
  assert.deepEqual(gateway.applied, [[assertEntry(gateway)], []]);
});

function assertEntry({ applied: [first] }: RecordingGateway) {
  assert.equal(first!.length, 1);
  return first![0]!;
}

test('a job does not succeed before the forwards of its VM are in force, and one without does not wait', async (t) => {
  const gateway = new RecordingGateway();
  const api = await openApi(t, { gateway });
  const [vm, plain] = [await makeVm(api), await makeVm(api)];
  gateway.failing = new GatewayUnavailableError('it is away');
  await add(api, vm, 20_022);
  await settled(api);
  assert.deepEqual(await statusOf(api, vm), ['error']);
  const away = { name: 'ComputeUnavailableError', message: /it is away/ };
  await assert.rejects(api.services.network.apply(vm.id), away);
  assert.ok(api.services.forwards.isBehind);
  await api.services.network.apply(plain.id);
  gateway.failing = undefined;
  await api.services.network.apply(vm.id);
  assert.deepEqual(gateway.ports, [20_022]);
  assert.deepEqual(await statusOf(api, vm), ['active']);
  assert.ok(!api.services.forwards.isBehind);
});

test('the creation of a VM fails if one of its forwards cannot be made', async (t) => {
  const gateway = new RecordingGateway();
  const api = await openApi(t, { gateway });
  const { db, clock } = api.services;
  await db.transaction((tx) =>
    creditAccount(tx, clock, { accountId: api.accountId, amountMinor: 10_000n, method: 'test' }),
  );
  const order = async (port: number) => {
    const made = await api.call('POST', '/v1/vm', { plan: 's1', template: 'debian-12', hostname: 'web' });
    assert.equal(made.status, 200, JSON.stringify(made.body));
    const { vm, job } = made.body.data;
    await add(api, vm, port);
    await settled(api);
    return job.id as string;
  };
  const works = await order(20_001);
  await api.runner.runToEnd(works);
  const fails = await order(20_002);
  gateway.failing = new GatewayUnavailableError('it is away');
  gateway.altered();
  await api.runner.runToEnd(fails);
  const endOf = async (id: string) =>
    (await db.query(sql`select status, error_code from jobs where id = ${id}`))[0];
  assert.deepEqual(await endOf(works), { status: 'succeeded', error_code: null });
  assert.deepEqual(await endOf(fails), { status: 'failed', error_code: 'compute_unavailable' });
});

test('changes during an update of a gateway follow in the next one, and settle automatically', async (t) => {
  const gateway = new RecordingGateway();
  const api = await openApi(t, { gateway });
  const { forwards } = api.services;
  const vm = await makeVm(api);
  const first = await add(api, vm, 20_001);
  await settled(api);
  const seen: string[][] = [];
  gateway.meanwhile = async () => {
    gateway.meanwhile = async () => {};
    await api.call('DELETE', `${forwardsOf(vm)}/${first.id}`);
    seen.push(await statusOf(api, vm));
  };
  await add(api, vm, 20_002);
  await settled(api);
  await forwards.apply();
  assert.deepEqual(seen, [['pending', 'removing']]);
  assert.deepEqual(gateway.ports, [20_002]);
  assert.deepEqual(await statusOf(api, vm), ['active']);
});

test('an address is not forwarded once it is no longer the VM’s, and a deletion removes its forwards', async (t) => {
  const gateway = new RecordingGateway();
  const api = await openApi(t, { gateway });
  const { db, forwards } = api.services;
  const [vm, lost] = [await makeVm(api), await makeVm(api)];
  await add(api, vm, 20_001);
  await add(api, lost, 20_002);
  await settled(api);
  assert.deepEqual(gateway.ports, [20_001, 20_002]);
  await db.query(sql`update ip_addresses set vm_id = null where vm_id = ${lost.id}`);
  await forwards.apply();
  assert.deepEqual(gateway.ports, [20_001]);
  const deletion = await api.call('DELETE', `/v1/vm/${vm.id}`);
  await api.runner.runToEnd(deletion.body.data.job.id);
  // Triggered by the notification of the job's end.
  while (gateway.ports.length > 0) await statusOf(api, lost);
});

test('a forward that the host refuses shows an error and does not block the others', async (t) => {
  const gateway = new RecordingGateway();
  const api = await openApi(t, { gateway });
  const { db, clock, forwards } = api.services;
  const vm = await makeVm(api);
  const { internal_ip } = await add(api, vm, 20_001);
  await settled(api);
  const row = {
    id: newId('pfr', clock),
    account_id: api.accountId,
    vm_id: vm.id,
    protocol: 'tcp' as const,
    public_ip: '192.0.2.10',
    external_port: 10_000,
    internal_ip,
    internal_port: 22,
    description: null,
    status: 'pending' as const,
    generation: 2,
    created_at: clock.now(),
  };
  await insertPortForward(db, row);
  await add(api, vm, 20_003);
  await settled(api);
  await forwards.apply();
  assert.deepEqual(gateway.ports, [20_001, 20_003]);
  assert.deepEqual(await statusOf(api, vm), ['active', 'active', 'error']);
});

test('a gateway receives everything it may have lost again, and otherwise only changes, or all each minute', async (t) => {
  const gateway = new RecordingGateway();
  const api = await openApi(t, { gateway });
  const { forwards, clock } = api.services;
  await add(api, await makeVm(api), 20_001);
  await settled(api);
  const given = gateway.applied.length;
  await forwards.apply();
  await forwards.apply();
  assert.equal(gateway.applied.length, given);
  gateway.altered();
  await forwards.idle();
  assert.equal(gateway.applied.length, given + 1);
  clock.advance(60_000);
  await forwards.apply();
  assert.equal(gateway.applied.length, given + 2);
  // Altered during an update: it is unknown which of the two came first.
  gateway.meanwhile = async () => {
    gateway.meanwhile = async () => {};
    gateway.altered();
  };
  gateway.altered();
  await forwards.idle();
  await forwards.idle();
  assert.equal(gateway.applied.length, given + 4);
});
