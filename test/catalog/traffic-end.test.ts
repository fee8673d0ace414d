import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { catalogFaults } from '../../server/domain/catalog/catalog-rules.ts';
import type { Catalog } from '../../server/domain/catalog/catalog-schema.ts';
import { loadCatalog } from '../../server/domain/catalog/load-catalog.ts';
import { speedLimit } from '../../server/domain/catalog/lookup.ts';
import { customVolume, trafficEnd } from '../../server/domain/catalog/traffic-end.ts';

const shipped = loadCatalog(join(import.meta.dirname, '../../catalog.yaml'));

/** Returns the shipped catalog with these settings for its first plan, custom sizes, and usage. */
const catalogWith = (plan: object, custom: object = {}, usage: object = {}): Catalog => ({
  ...shipped,
  plans: [{ ...shipped.plans[0]!, ...plan }, ...shipped.plans.slice(1)],
  custom: { ...shipped.custom, ...custom },
  usage,
});

test('a plan or custom size says what happens at its traffic, or usage does for all', () => {
  const catalog = catalogWith(
    { at_included: 'stop' },
    { throttle_mbps: 5 },
    { at_included: 'throttle', throttle_mbps: 10 },
  );
  assert.deepEqual(catalogFaults(catalog), []);
  assert.deepEqual(trafficEnd(catalog, 's1'), { action: 'stop', mbps: 0 });
  assert.deepEqual(trafficEnd(catalog, 's2'), { action: 'throttle', mbps: 10 });
  assert.deepEqual(trafficEnd(catalog, null), { action: 'throttle', mbps: 5 });
  assert.deepEqual(trafficEnd(shipped, 's1'), { action: 'bill', mbps: null });
  assert.deepEqual(trafficEnd(catalog, 'gone'), { action: 'throttle', mbps: 10 }, 'as all others');
});

for (const [what, catalog, faults] of [
  ['a throttle without a rate', catalogWith({ at_included: 'throttle' }), ['plans[0].at_included']],
  ['the same of custom sizes', catalogWith({}, { at_included: 'throttle' }), ['custom.at_included']],
  ['the same of all', catalogWith({}, {}, { at_included: 'throttle' }), ['usage.at_included']],
  [
    'a price of traffic that is not billed',
    catalogWith({ at_included: 'stop', traffic_per_gb: '0.01' }),
    ['plans[0].traffic_per_gb'],
  ],
  [
    'a price of custom traffic that is too high',
    catalogWith({}, { traffic_per_gb: '10000.01' }),
    ['custom.traffic_per_gb'],
  ],
  [
    'a custom size with more traffic than a VM can say',
    catalogWith(
      {},
      {
        bandwidth_gb: { vcpu: 0, ram_gb: 0, disk_gb: 1_000_000 },
        disk_gb: { min: 20, max: 10_000, step: 10 },
      },
    ),
    ['custom.bandwidth_gb'],
  ],
] as const)
  test(`refused: ${what}`, () => {
    const found = catalogFaults(catalog).map(({ path }) =>
      path.map((key, at) => (typeof key === 'number' ? `[${key}]` : `${at === 0 ? '' : '.'}${key}`)).join(''),
    );
    assert.deepEqual(found, faults);
  });

test('a custom size includes the traffic of its units, in whole GB and at least one', () => {
  const size = { vcpu: 2, ram_mb: 1536, disk_gb: 20 };
  const custom = (vcpu: number, ram_gb: number, disk_gb: number) => ({
    ...shipped.custom,
    bandwidth_gb: { vcpu, ram_gb, disk_gb },
  });
  assert.equal(customVolume(shipped.custom, size), null);
  assert.equal(customVolume(custom(100, 51, 1), size), 297, '200 + 76.5 + 20');
  assert.equal(customVolume(custom(0, 0, 0), size), 1);
});

test('a throttle never makes a VM faster than its plan', () => {
  const catalog = catalogWith({ network_mbps: 100 });
  const bps = (throttle_mbps: number | null) => speedLimit(catalog, { plan: 's1', throttle_mbps });
  assert.deepEqual([null, 10, 500, 0].map(bps), [100_000_000, 10_000_000, 100_000_000, 8_000]);
  assert.equal(speedLimit(catalog, { plan: 's2', throttle_mbps: 10 }), 10_000_000);
});
