import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { newPublicKey } from '../acceptance/support/valid-calls.ts';
import { example } from './stories/example.ts';
import { money } from './stories/money.ts';
import { newCustomer, startCloud } from './support/cloud.ts';
import { Refused, UNKNOWN } from './support/engine.ts';
import { build, COOKIE, skipWithoutGo } from './support/process.ts';

const WEB = { plan: 's1', template: 'debian-12', hostname: 'web-1' };

const refused = (attribute: string | undefined, message: RegExp) => (error: unknown) => {
  assert.ok(error instanceof Refused, String(error));
  assert.match(error.message, message);
  assert.equal(error.attribute, attribute);
  return true;
};

test('the Terraform provider', { skip: skipWithoutGo() }, async (t) => {
  const provider = build(t);
  const cloud = await startCloud(t);
  const customer = await newCustomer(t, cloud, { provider, balance: 10_000 });
  const { engine, client, operator, account } = customer;
  const publicKey = newPublicKey();

  await t.test('it serves only Terraform', () => {
    const { status, stderr } = spawnSync(provider, { env: {}, encoding: 'utf8' });
    assert.deepEqual([status, /which start it themselves/.test(stderr)], [1, true]);
    const env = { TF_PLUGIN_MAGIC_COOKIE: COOKIE, PLUGIN_PROTOCOL_VERSIONS: '6' };
    const open = spawnSync(provider, { env, encoding: 'utf8' });
    assert.deepEqual([open.status, /only served over TLS/.test(open.stderr)], [1, true]);
  });

  await t.test('wrong configurations are refused before anything is asked', async () => {
    const size = { vcpu: 1, ram_mb: 1024, disk_gb: 20 };
    const { plan: _, ...bare } = WEB;
    await assert.rejects(engine.validate('vauban_vm', bare), refused('plan', /size of the VM is missing/));
    await assert.rejects(
      engine.validate('vauban_vm', { ...WEB, ...size }),
      refused('plan', /either a plan or a custom size/),
    );
    await assert.rejects(
      engine.validate('vauban_vm', { ...WEB, billing: 'yearly' }),
      refused('billing', /"yearly"/),
    );
    await assert.rejects(
      engine.validate('vauban_vm', { ...WEB, timeouts: { create: 'soon' } }),
      refused('timeouts', /not a duration/),
    );
    await assert.rejects(engine.read('vauban_vm', {}), refused(undefined, /does not identify one/));
    await assert.rejects(
      engine.plan('vauban_vm', { ...WEB, plan: 's99' }),
      refused(undefined, /no plan "s99"/),
    );
  });

  const key = await engine.make('vauban_ssh_key', { name: '  laptop ', public_key: `${publicKey}\n` });
  const given = { ...WEB, ssh_key_ids: [key.state.id], notes: 'front' };
  let vm = await engine.make('vauban_vm', given);

  await t.test('a VM is bought at the price that the plan showed', async () => {
    assert.equal(vm.state.max_charge_minor, 399);
    assert.equal(vm.state.wanted_power, 'on');
    assert.equal(await customer.balance(), 10_000 - 399);
  });

  await t.test('a value that depends on another resource is planned as unknown', async () => {
    const { planned } = await engine.plan('vauban_vm', { ...WEB, region: UNKNOWN });
    assert.equal(planned!.region, UNKNOWN);
    assert.equal(planned!.max_charge_minor, UNKNOWN);
  });

  await t.test('changeable fields change in place, and others need a new VM', async () => {
    const renamed = await engine.plan('vauban_vm', { ...given, hostname: 'web-2', notes: null }, vm);
    assert.equal(renamed.action, 'update');
    vm = (await engine.apply(renamed))!;
    const { hostname, notes } = await client.ok<Record<string, unknown>>('getVm', {
      at: [vm.state.id as string],
    });
    assert.deepEqual([hostname, notes], ['web-2', null]);
    const other = await engine.plan('vauban_vm', { ...WEB, ssh_key_ids: [], template: 'debian-13' }, vm);
    assert.deepEqual([other.action, other.replaces.sort()], ['replace', ['ssh_key_ids', 'template']]);
  });

  const config = { ...given, hostname: 'web-2', notes: null };

  await t.test('changes made elsewhere are shown, and corrected', async () => {
    await client.ok('updateVm', { at: [vm.state.id as string], body: { notes: 'by hand' } });
    const plan = await engine.plan('vauban_vm', config, vm);
    assert.deepEqual([plan.action, plan.prior!.state.notes], ['update', 'by hand']);
    vm = (await engine.apply(plan))!;
  });

  await t.test('a change of plan needs leave to reboot, and costs no more than the plan showed', async () => {
    const before = await customer.balance();
    const denied = await engine.plan('vauban_vm', { ...config, plan: 's2' }, vm);
    await assert.rejects(engine.applyOnce(denied), refused(undefined, /vm_must_be_stopped/));
    assert.equal(await customer.balance(), before);
    const plan = await engine.plan('vauban_vm', { ...config, plan: 's2', allow_reboot: true }, vm);
    assert.deepEqual([plan.action, plan.planned!.max_charge_minor], ['update', 699 - 399 + 1]);
    vm = (await engine.apply(plan))!;
    assert.deepEqual([vm.state.vcpu, vm.state.ram_mb, vm.state.disk_gb], [2, 4096, 40]);
    const paid = before - (await customer.balance());
    assert.ok(paid >= 299 && paid <= 301, `${paid}`);
    await assert.rejects(
      engine.plan('vauban_vm', config, vm),
      refused(undefined, /disk_shrink_not_supported/),
    );
  });

  const larger = { ...config, plan: 's2', allow_reboot: true };

  await t.test('from a plan to a custom size and its power', async () => {
    const { plan: _, ...rest } = larger;
    vm = await engine.make('vauban_vm', { ...rest, vcpu: 3, ram_mb: 4096, disk_gb: 50 }, vm);
    assert.deepEqual([vm.state.plan, vm.state.vcpu, vm.state.disk_gb], [null, 3, 50]);
    vm = await engine.make(
      'vauban_vm',
      { ...rest, vcpu: 3, ram_mb: 4096, disk_gb: 50, wanted_power: 'off' },
      vm,
    );
    const { status } = await client.ok<{ status: string }>('getVm', { at: [vm.state.id as string] });
    assert.equal(status, 'stopped');
  });

  await t.test('an existing resource is imported, and then nothing is left to do', async () => {
    const imported = await engine.import('vauban_vm', vm.state.id as string);
    const { plan: _, ...rest } = larger;
    const wanted = { ...rest, vcpu: 3, ram_mb: 4096, disk_gb: 50, allow_reboot: null };
    const plan = await engine.plan('vauban_vm', wanted, imported);
    assert.deepEqual([plan.action, plan.replaces], ['update', []]);
    assert.match(plan.warnings[0]!, /ssh_key_ids .* was taken from the configuration/);
    const before = await customer.orders();
    vm = (await engine.apply(plan))!;
    assert.deepEqual(await customer.orders(), before);
    assert.equal(await engine.import('vauban_vm', 'vm_06f2v3n7k8q1m5x9z4b7c2d0gh'), undefined);
    await assert.rejects(engine.import('vauban_firewall_rule', 'fwr_1'), refused(undefined, /vm_id\/id/));
  });

  await t.test('the resources of a VM', async (t) => {
    const vm_id = vm.state.id as string;
    const tenant_id = await operator.tenant(account);
    const target_id = await operator.target(tenant_id, vm.state.ipv4 as string);
    const accept = {
      vm_id,
      direction: 'in',
      action: 'accept',
      protocol: 'tcp',
      cidrs: ['2001:DB8::/32', '10.0.0.0/8'],
    };
    const block = { target_id, action: 'block', protocol: '132', source_ports: [], source: '203.0.113.0/24' };
    const cases = [
      { type: 'vauban_firewall_rule', config: accept, other: { ports: '443' }, path: [vm_id] },
      {
        type: 'vauban_port_forward',
        config: { vm_id, protocol: 'tcp', internal_port: 22 },
        other: { internal_port: 23 },
        path: [vm_id],
      },
      {
        type: 'vauban_snapshot',
        config: { vm_id, name: ' first ' },
        other: { name: 'second' },
        path: [vm_id],
      },
      {
        type: 'vauban_shield_rule',
        config: block,
        other: {
          action: 'rate_limit',
          rate: { pps: 100 },
          protocol: 'tcp',
          tcp_flags: { set: ['syn'], unset: ['ack'] },
          packet_length: { min: 40, max: 60 },
          expires_at: '2099-01-01T01:00:00+01:00',
        },
        path: [target_id],
      },
    ];
    for (const { type, config, other, path } of cases)
      await t.test(type, async () => {
        const made = await engine.make(type, config);
        const imported = await engine.import(type, [...path, made.state.id].join('/'));
        assert.equal(imported!.state.id, made.state.id);
        const changed = { ...config, ...other };
        const plan = await engine.plan(type, changed, made);
        assert.deepEqual([plan.action, plan.replaces.length > 0], ['replace', true]);
        const second = (await engine.apply(plan))!;
        assert.notEqual(second.state.id, made.state.id);
        assert.equal(await engine.refresh(made), undefined);
        const longer = await engine.plan(type, { ...changed, timeouts: { delete: '1m' } }, second);
        assert.equal(longer.action, 'update');
        await engine.destroy((await engine.apply(longer))!);
        assert.equal(await engine.refresh(second), undefined);
      });
  });

  await t.test('data sources', async () => {
    const { plans } = await engine.read('vauban_plans', {});
    assert.deepEqual(
      (plans as { code: string }[]).slice(0, 2).map(({ code }) => code),
      ['s1', 's2'],
    );
    assert.deepEqual(await engine.read('vauban_plans', {}), { plans });
    const found = await engine.read('vauban_vm', { hostname: 'web-2' });
    assert.deepEqual([found.id, found.vcpu], [vm.state.id, 3]);
    await assert.rejects(
      engine.read('vauban_vm', { hostname: 'web-9' }),
      refused(undefined, /None was found/),
    );
    const { ip } = await engine.read('vauban_shield_target', { vm_id: vm.state.id });
    assert.equal(ip, vm.state.ipv4);
    const { total_minor } = await engine.read('vauban_custom_quote', { vcpu: 2, ram_mb: 2048, disk_gb: 40 });
    assert.equal(total_minor, 840);
    for (const [name, field] of [
      ['regions', 'regions'],
      ['templates', 'templates'],
    ] as const)
      assert.ok(((await engine.read(`vauban_${name}`, {}))[field] as unknown[]).length > 1);
    assert.equal((await engine.read('vauban_ssh_key', { name: 'laptop' })).id, key.state.id);
    assert.equal((await engine.read('vauban_wallet', {})).available_minor, await customer.balance());
  });

  await t.test('a deletion refunds the rest, and the books agree with the orders', async () => {
    await engine.destroy(vm);
    await engine.destroy(key);
    const orders = await customer.orders();
    assert.deepEqual(
      orders.map(({ kind }) => kind),
      ['create', 'change_plan', 'change_custom', 'delete_refund'],
    );
    const paid = orders.reduce((sum, { amount_minor }) => sum + amount_minor, 0);
    assert.equal(await customer.balance(), 10_000 - paid);
    assert.equal((await engine.plan('vauban_vm', config, vm)).action, 'create');
  });

  await t.test('the example of docs/terraform.md', (t) => example(t, cloud, provider));
  await t.test('money', (t) => money(t, cloud, provider));
});
