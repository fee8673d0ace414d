'use strict';
// A program of Pulumi with an engine of its own: resources are registered with mocks, their providers are taken from the
// text that Pulumi would store, and asked in the order in which Pulumi asks. It prints "done" in the end.
const assert = require('node:assert/strict');
const Module = require('node:module');
const pulumi = require('@pulumi/pulumi');
const vauban = require('@vauban/pulumi');

/** As Pulumi's own host of dynamic providers does it. */
function providerOf(text) {
  const module = new Module('__provider');
  module.paths = Module._nodeModulePaths(process.cwd());
  module._compile(text, `${process.cwd()}/__provider.cjs`);
  return module.exports.handler();
}

let registered;
pulumi.runtime.setMocks({
  newResource(args) {
    registered = args.inputs;
    return { id: `${args.name}-id`, state: args.inputs };
  },
  call: ({ inputs }) => inputs,
});

/** What Pulumi would be given for a resource: its provider, and its inputs without what is only shown. */
async function register(make) {
  registered = undefined;
  const resource = make();
  await new Promise((resolve) => resource.urn.apply(resolve));
  const { __provider: text, ...inputs } = registered;
  // What the state has of the package is where its code is, and no copy of that.
  assert.match(text, /require\("@vauban\/pulumi\/dist\/(lifecycle|machines)\.js"\)/);
  const given = Object.entries(inputs).filter(([, value]) => value !== undefined && value !== null);
  return { provider: providerOf(text), inputs: Object.fromEntries(given) };
}

/** Makes a resource and demands that nothing is left to do: at once, after a refresh and after an import. */
async function make(Resource, args, importId = (id) => id) {
  const { provider, inputs } = await register(() => new Resource('one', args));
  const failures = provider.check ? (await provider.check({}, inputs)).failures : [];
  assert.deepEqual(failures, []);
  const { id, outs } = await provider.create(inputs);
  assert.equal((await provider.diff(id, outs, inputs)).changes, false);
  const fresh = await provider.read(id, outs);
  assert.equal(fresh.id, id);
  assert.equal((await provider.diff(id, fresh.props, inputs)).changes, false);
  const imported = await provider.read(importId(id), {});
  assert.equal(imported.id, id);
  return { provider, inputs, id, outs: fresh.props };
}

async function gone({ provider, id, outs }) {
  await provider.delete(id, outs);
  await provider.delete(id, outs);
  assert.deepEqual(await provider.read(id, outs), {});
}

async function refusal(promise) {
  return promise.then(
    () => assert.fail('not refused'),
    (error) => error.code ?? error.name,
  );
}

async function main() {
  const { publicKey, tenant_id, target_id } = JSON.parse(process.argv[2]);
  const key = await make(vauban.SshKey, { name: ' laptop ', public_key: publicKey });
  const web = { plan: 's1', template: 'debian-12', hostname: 'web-1', ssh_key_ids: [key.id], notes: 'front' };
  const vm = await make(vauban.Vm, { ...web, max_charge_minor: 399 });
  const { provider } = vm;

  const both = await provider.check({}, { ...web, vcpu: 1 });
  assert.equal(both.failures.length, 1);
  assert.equal(await refusal(provider.create({ ...web, max_charge_minor: 398 })), 'price_changed');
  const renamed = { ...web, hostname: 'web-2', notes: undefined };
  const step = await provider.diff(vm.id, vm.outs, renamed);
  assert.deepEqual([step.changes, step.replaces], [true, []]);
  let { outs } = await provider.update(vm.id, vm.outs, renamed);
  assert.deepEqual([outs.hostname, outs.notes], ['web-2', null]);
  assert.equal((await provider.diff(vm.id, outs, renamed)).changes, false);
  assert.deepEqual((await provider.diff(vm.id, outs, { ...renamed, template: 'debian-13' })).replaces, [
    'template',
  ]);
  const larger = { ...renamed, plan: 's2' };
  assert.equal(await refusal(provider.update(vm.id, outs, larger)), 'vm_must_be_stopped');
  ({ outs } = await provider.update(vm.id, outs, { ...larger, allow_reboot: true, max_charge_minor: 301 }));
  assert.deepEqual([outs.plan, outs.vcpu], ['s2', 2]);

  const custom = { template: 'debian-12', hostname: 'own-1', vcpu: 2, ram_mb: 2048, disk_gb: 40 };
  assert.equal(await refusal(provider.create({ ...custom, max_charge_minor: 500 })), 'price_changed');
  const own = await make(vauban.Vm, { ...custom, max_charge_minor: 841 });
  assert.deepEqual([own.outs.plan, own.outs.vcpu, own.outs.disk_gb], [null, 2, 40]);

  const vm_id = vm.id;
  const below = (id) => `${vm_id}/${id}`;
  const accept = {
    vm_id,
    direction: 'in',
    action: 'accept',
    protocol: 'tcp',
    cidrs: ['2001:DB8::/32', '10.0.0.0/8'],
  };
  const rule = await make(vauban.FirewallRule, accept, below);
  const reordered = { ...rule.inputs, cidrs: rule.inputs.cidrs.toReversed() };
  assert.equal((await rule.provider.diff(rule.id, rule.outs, reordered)).changes, false);
  const narrowed = await rule.provider.diff(rule.id, rule.outs, { ...accept, ports: '443' });
  assert.deepEqual(narrowed.replaces, ['ports']);
  await gone(rule);
  await gone(await make(vauban.PortForward, { vm_id, protocol: 'tcp', internal_port: 22 }, below));
  await gone(await make(vauban.Snapshot, { vm_id, name: ' first ' }, below));
  const block = { tenant_id, target_id, action: 'block', protocol: 'udp', source_ports: ['53'] };
  await gone(await make(vauban.ShieldRule, block, (id) => `${tenant_id}/${target_id}/${id}`));
  await gone({ ...vm, outs });
  await gone(own);
  await gone(key);
}

main().then(
  () => console.log('done'),
  (error) => {
    console.error(error);
    process.exitCode = 1;
  },
);
