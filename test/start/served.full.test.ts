// Runs on both engines: a start opens a server or the embedded engine.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { newCustomer } from '../chaos/support/customer.ts';
import { importBlank } from '../support/blank-image.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { failingStart, WRONG_CONFIGURATION } from '../support/failing-start.ts';
import { startService } from '../support/service.ts';
import { skipUnlessInstalled } from '../support/tiny-image.ts';

const skip = skipUnlessInstalled('qemu-system-x86_64', 'qemu-img');
const TEMPLATE = 'debian-12';
/** Memory for three VMs of 1024 MB with QEMU's overhead for each. */
const MEMORY_MB = 3 * (1_024 + 96 + 4 + 256);
const QEMU = {
  VAUBAN_COMPUTE: 'qemu',
  VAUBAN_QEMU_ACCEL: 'tcg',
  VAUBAN_QEMU_CPU_OVERCOMMIT: '64',
  VAUBAN_QEMU_MEMORY_MB: `${MEMORY_MB}`,
  VAUBAN_QEMU_DISK_GB: '1000',
};

test('a host of real guests sells its own capacity: its zone, images, memory, cores', {
  skip,
}, async (t) => {
  const location = await freshDatabaseLocation(t);
  await importBlank(location.env.VAUBAN_DATA_DIR, TEMPLATE);
  const customer = await newCustomer(await startService(t, { location, env: QEMU }));
  const { regions, plans, templates } = await customer.ask('GET', '/v1/vm/catalog');
  const zones = regions.map(({ code, available_zones }: Record<string, unknown>) => [code, available_zones]);
  assert.deepEqual(zones, [
    ['eu-central', ['eu-central-a']],
    ['eu-west', []],
  ]);
  const available = (each: { code: string; available?: boolean; regions?: { available: boolean }[] }) =>
    each.available ?? each.regions!.some((region) => region.available);
  const shown = [...plans, ...templates].filter(available).map(({ code }) => code);
  assert.deepEqual(shown, ['s1', TEMPLATE]);

  const order = (wish: object = {}) =>
    customer.send('POST', '/v1/vm', {
      body: { plan: 's1', template: TEMPLATE, hostname: 'web', start: false, ...wish },
      idempotencyKey: randomUUID(),
    });
  for (const wish of [{ template: 'ubuntu-24.04' }, { region: 'eu-west' }, { zone: 'eu-central-b' }]) {
    const { status, json } = await order(wish);
    const [{ field, code }] = json.error.details.fields;
    assert.deepEqual([status, field, code], [422, Object.keys(wish)[0], 'not_available']);
  }
  const quote = '/v1/vm/custom-quote?vcpu=1&ram_mb=1024&disk_gb=20&region=eu-west';
  assert.equal((await customer.send('GET', quote)).status, 422);
  assert.equal((await order({ plan: 'd2' })).json.error.code, 'capacity_unavailable');

  const replies = await Promise.all(Array.from({ length: 8 }, () => order()));
  const codes = replies.map(({ status, json }) => json.error?.code ?? status);
  assert.deepEqual(codes.sort(), [...Array(3).fill(200), ...Array(5).fill('capacity_unavailable')]);
  for (const { json } of replies) {
    if (!json.data) continue;
    const vm = await customer.settled(json.data.vm.id);
    assert.equal(vm.status, 'stopped', JSON.stringify(vm.last_job));
  }
});

test('a zone that the catalog does not have is a mistake of the configuration', async (t) => {
  const location = await freshDatabaseLocation(t);
  const { status, stderr } = await failingStart(location, { VAUBAN_ZONES: 'eu-central-a,mars-a' });
  assert.deepEqual([status, stderr], [WRONG_CONFIGURATION, 'VAUBAN_ZONES: the catalog has no zone mars-a\n']);
});
