import assert from 'node:assert/strict';
import { mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { newCustomer } from '../chaos/support/customer.ts';
import { whyNot as whyNotRouted } from '../compute/routed/support/env.ts';
import { Namespace } from '../compute/routed/support/namespace.ts';
import { importBlank } from '../support/blank-image.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { failingStart, UNAVAILABLE, WRONG_CONFIGURATION } from '../support/failing-start.ts';
import { startService } from '../support/service.ts';
import { skipUnlessInstalled } from '../support/tiny-image.ts';

const skip = skipUnlessInstalled('qemu-system-x86_64', 'qemu-img');
const TEMPLATE = 'debian-12';

/** Complete except for the engine of the VMs. */
const PRODUCTION = {
  VAUBAN_MODE: 'production',
  VAUBAN_PUBLIC_URL: 'https://api.example.com',
  VAUBAN_EDGE: 'off',
};

/** Returns the problems and the service's whole output about them. */
async function refusal(
  location: Awaited<ReturnType<typeof freshDatabaseLocation>>,
  settings: Record<string, string>,
): Promise<string> {
  const { status, stderr } = await failingStart(location, settings);
  assert.equal(status, WRONG_CONFIGURATION, stderr);
  return stderr;
}

test('production requires its address and its edge', async (t) => {
  const location = await freshDatabaseLocation(t);
  assert.equal(
    await refusal(location, { VAUBAN_MODE: 'production', VAUBAN_COMPUTE: 'simulator' }),
    'VAUBAN_PUBLIC_URL: is required in production: the address that customers use, such as https://api.example.com\n' +
      'VAUBAN_EDGE: is required in production: off (no protection), nftables, flowspec, nftables+flowspec, or simulator (pretends to protect)\n',
  );
});

for (const compute of ['auto', 'qemu']) {
  test(`without an image production (${compute}) does not start, also if the folder is not mounted`, async (t) => {
    const location = await freshDatabaseLocation(t);
    const settings = { ...PRODUCTION, VAUBAN_COMPUTE: compute, VAUBAN_QEMU_NETWORK: 'routed' };
    const sentence = /^VAUBAN_COMPUTE: \S+\/images has no image of any template of the catalog; [^\n]+\n$/;
    assert.match(await refusal(location, settings), sentence);
    mkdirSync(join(location.env.VAUBAN_DATA_DIR, 'images'));
    assert.match(await refusal(location, settings), sentence);
  });
}

test('an image without its disk does not count', { skip }, async (t) => {
  const location = await freshDatabaseLocation(t);
  const dataDir = location.env.VAUBAN_DATA_DIR;
  await importBlank(dataDir, TEMPLATE);
  rmSync(join(dataDir, 'images', 'files'), { recursive: true });
  assert.match(await refusal(location, PRODUCTION), /^VAUBAN_COMPUTE: .*has no image/);
});

test('production refuses the network that is for development', { skip }, async (t) => {
  const location = await freshDatabaseLocation(t);
  await importBlank(location.env.VAUBAN_DATA_DIR, TEMPLATE);
  for (const network of ['auto', 'user']) {
    const said = await refusal(location, { ...PRODUCTION, VAUBAN_QEMU_NETWORK: network });
    assert.match(said, /^VAUBAN_QEMU_NETWORK: [^\n]+ for development; set it to routed[^\n]+\n$/);
  }
});

test('production does not start while the host helper is away, and may be tried again', {
  skip,
}, async (t) => {
  const location = await freshDatabaseLocation(t);
  const dataDir = location.env.VAUBAN_DATA_DIR;
  await importBlank(dataDir, TEMPLATE);
  const helper = join(dataDir, 'no-helper.sock');
  const { status, stderr } = await failingStart(location, { ...PRODUCTION, VAUBAN_HOST_HELPER: helper });
  assert.equal(status, UNAVAILABLE, stderr);
  assert.match(
    stderr,
    /^VAUBAN_HOST_HELPER: the host helper cannot be reached: [^\n]+; start vauban-host[^\n]+\n$/,
  );
});

test('a guest whose record cannot be read is set aside and named, and production starts on real guests', {
  skip: skip || whyNotRouted(),
}, async (t) => {
  const location = await freshDatabaseLocation(t);
  const dataDir = location.env.VAUBAN_DATA_DIR;
  await importBlank(dataDir, TEMPLATE);
  mkdirSync(join(dataDir, 'guests', 'vm_empty'), { recursive: true });
  writeFileSync(join(dataDir, 'guests', 'vm_empty', 'guest.json'), '');
  // The service creates nftables tables and enables forwarding on its host.
  const namespace = await Namespace.make(t);
  await namespace.ip('link add uplink0 type veth peer name outside0', 'link set uplink0 up');
  const env = { ...PRODUCTION, VAUBAN_QEMU_NETWORK: 'routed', VAUBAN_QEMU_UPLINK: 'uplink0' };
  const service = await startService(t, { location, env, namespace });
  assert.match(service.output(), /"compute":"qemu"/);
  assert.match(service.output(), /vm_empty\/guest\.json[^\n]*guest set aside/);
});

test('a simulator that is named starts in production', async (t) => {
  const location = await freshDatabaseLocation(t);
  const service = await startService(t, { location, env: { ...PRODUCTION, VAUBAN_COMPUTE: 'simulator' } });
  assert.match(service.output(), /"level":"warn"[^\n]*simulated/);
  assert.match(service.output(), /"level":"warn"[^\n]*names no seller/);
  assert.equal((await fetch(`${service.baseUrl}/readyz`)).status, 200);
});

test('VMs with real guests prevent the simulator, however it is chosen', { skip }, async (t) => {
  const location = await freshDatabaseLocation(t);
  const dataDir = location.env.VAUBAN_DATA_DIR;
  const at = (name: string) => join(dataDir, name);
  await importBlank(dataDir, TEMPLATE);
  const env = { VAUBAN_QEMU_ACCEL: 'tcg', VAUBAN_QEMU_MEMORY_MB: '4096', VAUBAN_QEMU_DISK_GB: '100' };
  const qemu = { ...env, VAUBAN_COMPUTE: 'qemu' };
  const first = await startService(t, { location, env: qemu });
  const customer = await newCustomer(first);
  const body = { plan: 's1', template: TEMPLATE, hostname: 'real', start: false };
  const { vm } = await customer.ask('POST', '/v1/vm', body);
  assert.equal((await customer.settled(vm.id)).status, 'stopped');
  await first.stop();

  const named = await refusal(location, { ...env, VAUBAN_COMPUTE: 'simulator' });
  assert.match(named, /^VAUBAN_COMPUTE: 1 VM of this database run on qemu, [^\n]+ simulator [^\n]+\n$/);
  renameSync(at('images'), at('away'));
  const fallenBack = await refusal(location, env);
  assert.match(
    fallenBack,
    /^VAUBAN_COMPUTE: 1 VM [^\n]+\(there is no image of any template of the catalog\)/,
  );
  renameSync(at('away'), at('images'));
  writeFileSync(at('guests/vm_empty'), '');
  const beside = await startService(t, { location, env });
  assert.match(beside.output(), /"compute":"qemu"/);
  assert.match(beside.output(), /vm_empty[^\n]*guest set aside/);
  await beside.stop();
  rmSync(at('guests/vm_empty'));

  // Like a file system that is not mounted: QEMU works, and would report every guest as absent.
  renameSync(at('guests'), at('away'));
  assert.match(
    await refusal(location, qemu),
    /^VAUBAN_DATA_DIR: the guests of 1 VM are not in this data directory;/,
  );
  rmSync(at('guests'), { recursive: true });
  renameSync(at('away'), at('guests'));

  customer.target = await startService(t, { location, env: qemu });
  await customer.ask('DELETE', `/v1/vm/${vm.id}`);
  assert.equal(await customer.settled(vm.id), undefined);
});

test('simulated VMs keep real guests out', { skip }, async (t) => {
  const location = await freshDatabaseLocation(t);
  const first = await startService(t, { location, env: { VAUBAN_COMPUTE: 'simulator' } });
  const customer = await newCustomer(first);
  const body = { plan: 's1', template: TEMPLATE, hostname: 'pretended', start: false };
  const { vm } = await customer.ask('POST', '/v1/vm', body);
  await customer.settled(vm.id);
  await first.stop();
  const said = await refusal(location, { VAUBAN_COMPUTE: 'qemu', VAUBAN_QEMU_ACCEL: 'tcg' });
  assert.match(
    said,
    /^VAUBAN_COMPUTE: 1 VM of this database run on simulator, [^\n]+ this start would use qemu/,
  );
});
