import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Queryable, type Sql, sql, type Transaction } from '../../server/db/database.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { claimPort, insertPortForward, type PortForwardRow } from '../../server/db/queries/vms/network.ts';
import { insertOnFreePort } from '../../server/domain/network/claim-port.ts';
import { ApiError } from '../../server/platform/errors.ts';
import { newId } from '../../server/platform/ids.ts';
import { withCapabilities } from '../support/capabilities.ts';
import { makeVm, openApi, type TestApi } from './support.ts';

const PUBLIC_IP = '192.0.2.10';
const SSH = { protocol: 'tcp', internal_port: 22 };

const forwardsOf = (vm: { id: string }) => `/v1/vm/${vm.id}/port-forwarding`;
const ipv4Of = async (api: TestApi, vm: { id: string }) =>
  (
    await api.services.db.query<{ ip: string }>(
      sql`select host(address) as ip from ip_addresses where vm_id = ${vm.id} and family(address) = 4`,
    )
  )[0]!.ip;

/** Returns a forward of the VM on a port from a separate range that other tests do not use. */
function forward(api: TestApi, vm: { id: string }, change: Partial<PortForwardRow>): PortForwardRow {
  return {
    id: newId('pfr', api.services.clock),
    account_id: api.accountId,
    vm_id: vm.id,
    protocol: 'tcp_udp',
    public_ip: PUBLIC_IP,
    external_port: 10_000,
    internal_ip: '100.64.0.2',
    internal_port: 53,
    description: null,
    status: 'pending',
    generation: 2,
    created_at: api.services.clock.now(),
    ...change,
  };
}

async function take(db: Queryable, row: PortForwardRow): Promise<void> {
  assert.ok(await claimPort(db, await insertPortForward(db, row)));
}

/** Runs a rival's statement once, right before the first claim of a port. */
function withRival(tx: Transaction, rival: () => Promise<void>): Queryable {
  let done = false;
  return {
    async query<Row extends object>(statement: Sql) {
      if (!done && statement.sql.includes('into port_claims')) {
        done = true;
        await rival();
      }
      return tx.query<Row>(statement);
    },
  };
}

test('port forwarding', async (t) => {
  const api = await openApi(t);
  const { db, network } = api.services;

  await t.test('a port is picked, forwarded, and free again when the engine has released it', async () => {
    const vm = await makeVm(api);
    const added = await api.call('POST', forwardsOf(vm), SSH);
    assert.equal(added.status, 200);
    const { id, external_port, created_at, ...rest } = added.body.data;
    assert.ok(external_port >= 20_000 && external_port <= 59_999);
    const internal_ip = await ipv4Of(api, vm);
    assert.deepEqual(rest, {
      ...SSH,
      internal_ip,
      public_ip: PUBLIC_IP,
      description: null,
      status: 'pending',
    });
    await network.idle();
    assert.equal((await api.call('GET', forwardsOf(vm))).body.data[0].status, 'active');
    const entry = {
      protocol: 'tcp',
      publicIp: PUBLIC_IP,
      externalPort: external_port,
      internalIp: internal_ip,
    };
    assert.deepEqual((await new SimulatorGuests(db).readGuest(vm.id))!.network!.portForwards, [
      { ...entry, internalPort: 22 },
    ]);

    const deleted = await api.call('DELETE', `${forwardsOf(vm)}/${id}`);
    assert.deepEqual(deleted, { status: 200, body: { data: { id, deleted: true } } });
    assert.equal((await api.call('DELETE', `${forwardsOf(vm)}/${id}`)).status, 404);
    await network.idle();
    assert.deepEqual((await api.call('GET', forwardsOf(vm))).body.data, []);
    assert.equal((await api.call('POST', forwardsOf(vm), { ...SSH, external_port })).status, 200);
  });

  await t.test('a port that is asked for is had once for each protocol', async () => {
    const [vm, other] = [await makeVm(api), await makeVm(api)];
    const ask = (who: typeof vm, protocol: string) =>
      api.call('POST', forwardsOf(who), { protocol, internal_port: 53, external_port: 30_053 });
    assert.equal((await ask(vm, 'tcp')).status, 200);
    const refused = await ask(other, 'tcp_udp');
    assert.equal(refused.status, 409);
    assert.equal(refused.body.error.code, 'port_in_use');
    assert.deepEqual(refused.body.error.details, {
      external_port: 30_053,
      protocol: 'tcp_udp',
      public_ip: PUBLIC_IP,
    });
    assert.deepEqual((await api.call('GET', forwardsOf(other))).body.data, []);
    assert.equal((await ask(other, 'udp')).status, 200);
    assert.equal((await ask(vm, 'udp')).body.error.code, 'port_in_use');
  });

  await t.test('another region has its own address', async () => {
    const [vm, other] = [await makeVm(api), await makeVm(api, { region: 'eu-west', zone: 'eu-west-a' })];
    const ask = (who: typeof vm) => api.call('POST', forwardsOf(who), { ...SSH, external_port: 30_022 });
    assert.equal((await ask(vm)).status, 200);
    assert.equal((await ask(other)).body.data.public_ip, '192.0.2.20');
  });

  await t.test('the address behind it is one of the VM, and the port one of the region', async () => {
    const [vm, other] = [await makeVm(api), await makeVm(api)];
    const field = async (change: object) => {
      const { status, body } = await api.call('POST', forwardsOf(vm), { ...SSH, ...change });
      assert.equal(status, 422);
      return body.error.details.fields[0].field;
    };
    assert.equal(await field({ internal_ip: await ipv4Of(api, other) }), 'internal_ip');
    assert.equal(await field({ internal_ip: '2001:db8:1::2' }), 'internal_ip');
    assert.equal(await field({ external_port: 22 }), 'external_port');
    assert.equal(await field({ external_port: 60_000 }), 'external_port');
    assert.equal(await field({ internal_port: 0 }), 'internal_port');
    assert.equal(await field({ protocol: 'icmp' }), 'protocol');
    const own = { internal_ip: await ipv4Of(api, vm), external_port: null };
    assert.equal((await api.call('POST', forwardsOf(vm), { ...SSH, ...own })).status, 200);
  });

  await t.test('a forward more than the limit is refused', async () => {
    const vm = await makeVm(api);
    const limits = JSON.stringify({ port_forwards_per_vm: 1 });
    await db.query(sql`update accounts set limits = ${limits}::text::jsonb where id = ${api.accountId}`);
    assert.equal((await api.call('POST', forwardsOf(vm), SSH)).status, 200);
    const { error } = (await api.call('POST', forwardsOf(vm), SSH)).body;
    assert.equal(error.code, 'quota_exceeded');
    assert.deepEqual(error.details, { limit: 1, used: 1, resource: 'port_forwards_per_vm' });
    await db.query(sql`update accounts set limits = '{}' where id = ${api.accountId}`);
  });

  await t.test('the last free port of a range is found, and then there is none', async () => {
    const vm = await makeVm(api);
    const range = { from: 10_000, to: 12_500 };
    await db.query(sql`
      with forward as (select ${(await insertPortForward(db, forward(api, vm, {}))).id} as id)
      insert into port_claims (public_ip, protocol, port, forward_id)
      select ${PUBLIC_IP}, 'udp', port, forward.id from forward, generate_series(10000, 12500) as port
      where port <> 11234`);
    const pick = () =>
      db.transaction((tx) => insertOnFreePort(tx, forward(api, vm, { protocol: 'tcp' }), range));
    assert.equal((await pick()).external_port, 11_234);
    await assert.rejects(pick, (error) => error instanceof ApiError && error.code === 'capacity_unavailable');
  });

  await t.test('a forward that loses one protocol of a port to a rival takes another port', async () => {
    const vm = await makeVm(api);
    const range = { from: 13_000, to: 13_001 };
    const rivals = forward(api, vm, { protocol: 'udp' });
    const row = await db.transaction(async (tx) => {
      // The rival claims at the worst moment: after the port was found free.
      const rival = async () => {
        const wanted = await tx.query<{ external_port: number }>(sql`
          select external_port from port_forwards where external_port between 13000 and 13001`);
        await take(tx, { ...rivals, external_port: wanted[0]!.external_port });
      };
      return insertOnFreePort(withRival(tx, rival), forward(api, vm, {}), range);
    });
    const claims = await db.query<{ port: number; protocol: string; forward_id: string }>(sql`
      select port, protocol, forward_id from port_claims where port in (13000, 13001) order by forward_id = ${row.id}, protocol`);
    const lost = row.external_port === 13_000 ? 13_001 : 13_000;
    assert.deepEqual(claims, [
      { port: lost, protocol: 'udp', forward_id: rivals.id },
      { port: row.external_port, protocol: 'tcp', forward_id: row.id },
      { port: row.external_port, protocol: 'udp', forward_id: row.id },
    ]);
  });

  await t.test('an engine that forwards no ports is a 422, and nothing changes', async () => {
    const vm = await makeVm(api);
    const { status, body } = await withCapabilities(api.services.compute, { portForwards: false }, () =>
      api.call('POST', forwardsOf(vm), SSH),
    );
    assert.equal(status, 422);
    assert.deepEqual(
      body.error.details.fields.map(({ field, code }: { field: string; code: string }) => [field, code]),
      [['internal_port', 'not_supported']],
    );
    assert.deepEqual((await api.call('GET', forwardsOf(vm))).body.data, []);
  });

  await t.test('many at once never share a port', async () => {
    const vms = await Promise.all(Array.from({ length: 4 }, () => makeVm(api)));
    const asked = vms.flatMap((vm) => Array.from({ length: 5 }, () => api.call('POST', forwardsOf(vm), SSH)));
    const ports = (await Promise.all(asked)).map(({ body }) => body.data.external_port);
    assert.equal(new Set(ports).size, 20);
  });

  await t.test("another account's VM and forward are not there", async () => {
    const [vm, other] = [await makeVm(api), await makeVm(api)];
    const { id } = (await api.call('POST', forwardsOf(vm), SSH)).body.data;
    const stranger = await api.strangersKey();
    for (const [method, path, as] of [
      ['GET', forwardsOf(vm), stranger],
      ['POST', forwardsOf(vm), stranger],
      ['DELETE', `${forwardsOf(vm)}/${id}`, stranger],
      ['DELETE', `${forwardsOf(other)}/${id}`, undefined],
    ] as const) {
      assert.equal((await api.call(method, path, method === 'POST' ? SSH : undefined, as)).status, 404);
    }
  });
});
