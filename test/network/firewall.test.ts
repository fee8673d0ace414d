import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { withCapabilities } from '../support/capabilities.ts';
import { makeVm, openApi } from './support.ts';

const HTTPS = { direction: 'in', action: 'accept', protocol: 'tcp', ports: '443', cidrs: ['0.0.0.0/0'] };

test('firewall', async (t) => {
  const api = await openApi(t);
  const { db, network } = api.services;
  const firewallOf = (vm: { id: string }) => `/v1/vm/${vm.id}/firewall`;
  const rulesOf = async (vm: { id: string }) => (await api.call('GET', firewallOf(vm))).body;
  const onEngine = async (vm: { id: string }) =>
    (await new SimulatorGuests(db).readGuest(vm.id))!.network?.firewall ?? [];

  await t.test('a rule comes into force on the engine, and deleted it goes', async () => {
    const vm = await makeVm(api);
    const added = await api.call('POST', firewallOf(vm), HTTPS);
    assert.equal(added.status, 200);
    const { id, created_at, ...rule } = added.body.data;
    assert.deepEqual(rule, {
      ...HTTPS,
      priority: 100,
      enabled: true,
      description: null,
      status: 'pending',
    });
    await network.idle();
    const { data, pagination, default_policy } = await rulesOf(vm);
    assert.deepEqual(data, [{ ...added.body.data, status: 'active' }]);
    assert.deepEqual(pagination, { limit: 50, next_cursor: null, has_more: false });
    assert.deepEqual(default_policy, { in: 'drop', out: 'accept' });
    assert.deepEqual(await onEngine(vm), [HTTPS]);

    api.services.clock.advance(1);
    const deleted = await api.call('DELETE', `${firewallOf(vm)}/${id}`);
    assert.deepEqual(deleted, { status: 200, body: { data: { id, deleted: true } } });
    await network.idle();
    assert.deepEqual((await rulesOf(vm)).data, []);
    assert.deepEqual(await onEngine(vm), []);
    const events = (await api.call('GET', `/v1/vm/${vm.id}/events`)).body.data;
    assert.deepEqual(
      events.map((event: { type: string; metadata: object }) => [event.type, event.metadata]),
      [
        ['firewall.rule_removed', { rule_id: id }],
        ['firewall.rule_added', { rule_id: id }],
      ],
    );
  });

  await t.test('rules wait for a guest that is still being made', async () => {
    const vm = await makeVm(api, { status: 'provisioning', provisioned_at: null });
    const { id } = (await api.call('POST', firewallOf(vm), HTTPS)).body.data;
    await network.idle();
    assert.equal((await rulesOf(vm)).data[0].status, 'pending');
    assert.equal((await api.call('DELETE', `${firewallOf(vm)}/${id}`)).status, 200);
    assert.equal((await rulesOf(vm)).data[0].status, 'removing');
    assert.equal((await api.call('DELETE', `${firewallOf(vm)}/${id}`)).status, 404);
  });

  await t.test('an engine that refuses makes a rule an error, and the next round puts it right', async () => {
    const vm = await makeVm(api, { hostname: 'sim-fail-network-once' });
    await api.call('POST', firewallOf(vm), HTTPS);
    await network.idle();
    assert.equal((await rulesOf(vm)).data[0].status, 'error');
    await network.reconcile();
    assert.equal((await rulesOf(vm)).data[0].status, 'active');
  });

  await t.test('a duplicate is refused by the existing rule, in any notation', async () => {
    const vm = await makeVm(api);
    const cidrs = ['2001:db8::/32', '10.0.0.0/8'];
    const { id } = (await api.call('POST', firewallOf(vm), { ...HTTPS, cidrs })).body.data;
    const twin = { ...HTTPS, ports: '443-443', cidrs: ['10.0.0.0/8', '2001:DB8::/32'], description: 'again' };
    const refused = await api.call('POST', firewallOf(vm), twin);
    assert.equal(refused.status, 409);
    assert.equal(refused.body.error.code, 'rule_exists');
    assert.deepEqual(refused.body.error.details, { existing_id: id });
    assert.equal((await api.call('POST', firewallOf(vm), { ...HTTPS, cidrs, priority: 99 })).status, 200);
    await api.call('DELETE', `${firewallOf(vm)}/${id}`);
    assert.equal((await api.call('POST', firewallOf(vm), twin)).status, 200);
  });

  await t.test('a rule more than the limit is refused', async () => {
    const vm = await makeVm(api);
    const limits = JSON.stringify({ firewall_rules_per_vm: 2 });
    await db.query(sql`update accounts set limits = ${limits}::text::jsonb where id = ${api.accountId}`);
    for (const ports of ['1', '2']) await api.call('POST', firewallOf(vm), { ...HTTPS, ports });
    const refused = await api.call('POST', firewallOf(vm), { ...HTTPS, ports: '3' });
    assert.equal(refused.status, 409);
    assert.equal(refused.body.error.code, 'quota_exceeded');
    assert.deepEqual(refused.body.error.details, { limit: 2, used: 2, resource: 'firewall_rules_per_vm' });
    await db.query(sql`update accounts set limits = '{}' where id = ${api.accountId}`);
  });

  await t.test('invalid input is refused field by field', async () => {
    const vm = await makeVm(api);
    const fields = async (body: object) => {
      const { status, body: reply } = await api.call('POST', firewallOf(vm), body);
      assert.equal(status, 422);
      assert.equal(reply.error.code, 'validation_failed');
      return reply.error.details.fields.map((problem: { field: string }) => problem.field);
    };
    assert.deepEqual(await fields({}), ['direction', 'action', 'protocol', 'cidrs']);
    assert.deepEqual(await fields({ ...HTTPS, cidrs: [] }), ['cidrs']);
    assert.deepEqual(await fields({ ...HTTPS, priority: 1001 }), ['priority']);
    assert.deepEqual(await fields({ ...HTTPS, port: '443' }), ['port']);
    assert.deepEqual(await fields({ ...HTTPS, ports: '70000', cidrs: ['10.0.0.1/8'] }), ['ports', 'cidrs.0']);
    assert.deepEqual(await fields({ ...HTTPS, description: 'x'.repeat(201) }), ['description']);
    assert.deepEqual((await rulesOf(vm)).data, []);
  });

  await t.test(
    'a protocol that the engine cannot distinguish is a 422, and blocks no other rule',
    async () => {
      const vm = await makeVm(api);
      const { ports: _, ...rule } = HTTPS;
      const add = (protocol: string) => api.call('POST', firewallOf(vm), { ...rule, protocol });
      const [refused, accepted] = await withCapabilities(
        api.services.compute,
        { refusedProtocols: ['gre'] },
        async () => [await add('gre'), await add('esp')] as const,
      );
      assert.equal(refused.status, 422);
      assert.deepEqual(
        refused.body.error.details.fields.map(({ field, code }: { field: string; code: string }) => [
          field,
          code,
        ]),
        [['protocol', 'not_supported']],
      );
      assert.equal(accepted.status, 200);
      assert.equal((await rulesOf(vm)).data.length, 1);
    },
  );

  await t.test('states: all but deleting and suspended, locked or not', async () => {
    const attempt = async (change: Parameters<typeof makeVm>[1]) =>
      api.call('POST', firewallOf(await makeVm(api, change)), HTTPS);
    for (const status of ['stopped', 'starting', 'resizing', 'error'] as const) {
      assert.equal((await attempt({ status })).status, 200, status);
    }
    assert.equal((await attempt({ status: 'suspended' })).body.error.code, 'vm_suspended');
    assert.equal((await attempt({ status: 'deleting' })).body.error.code, 'invalid_state');
  });

  await t.test("another account's VM and rule are not there", async () => {
    const [vm, other] = [await makeVm(api), await makeVm(api)];
    const { id } = (await api.call('POST', firewallOf(vm), HTTPS)).body.data;
    const stranger = await api.strangersKey();
    const absent = await api.call('GET', '/v1/vm/vm_none/firewall');
    assert.equal(absent.status, 404);
    assert.deepEqual(await api.call('GET', firewallOf(vm), undefined, stranger), absent);
    assert.deepEqual(await api.call('POST', firewallOf(vm), HTTPS, stranger), absent);
    assert.deepEqual(await api.call('DELETE', `${firewallOf(vm)}/${id}`, undefined, stranger), absent);
    assert.deepEqual(await api.call('DELETE', `${firewallOf(other)}/${id}`), absent);
  });

  await t.test('the list comes in pages, newest first', async () => {
    const vm = await makeVm(api);
    for (const ports of ['1', '2', '3']) {
      api.services.clock.advance(1);
      await api.call('POST', firewallOf(vm), { ...HTTPS, ports });
    }
    const first = (await api.call('GET', `${firewallOf(vm)}?limit=2`)).body;
    const ports = (page: { data: { ports: string }[] }) => page.data.map((rule) => rule.ports);
    assert.deepEqual(ports(first), ['3', '2']);
    const cursor = first.pagination.next_cursor;
    const second = (await api.call('GET', `${firewallOf(vm)}?limit=2&cursor=${cursor}`)).body;
    assert.deepEqual(ports(second), ['1']);
    assert.equal(second.pagination.has_more, false);
    assert.deepEqual(second.default_policy, { in: 'drop', out: 'accept' });
  });
});
