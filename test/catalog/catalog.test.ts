import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { CatalogSchema } from '../../server/domain/catalog/catalog-schema.ts';
import { loadCatalog } from '../../server/domain/catalog/load-catalog.ts';
import {
  findPlan,
  findRegion,
  findTemplate,
  isInRange,
  isSoldIn,
} from '../../server/domain/catalog/lookup.ts';
import { ConfigError } from '../../server/platform/config-error.ts';
import { jsonSchemaText } from '../../server/platform/yaml-file.ts';

const root = resolve(import.meta.dirname, '../..');
const shippedPath = join(root, 'catalog.yaml');
const shipped = readFileSync(shippedPath, 'utf8');
const directory = mkdtempSync(join(tmpdir(), 'vauban-catalog-'));
after(() => rmSync(directory, { recursive: true }));

/** "line text|reason" of each problem of the shipped catalog with one passage replaced. */
function faults(passage: string, replacement: string): string[] {
  assert.ok(shipped.includes(passage), `the shipped catalog lacks ${passage}`);
  const text = shipped.replace(passage, replacement);
  const path = join(directory, 'catalog.yaml');
  writeFileSync(path, text);
  try {
    loadCatalog(path);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.problems.map((problem) => {
      const [, line, reason] = /catalog\.yaml:(\d+):\d+: (.*)$/s.exec(problem) ?? assert.fail(problem);
      return `${text.split('\n')[Number(line) - 1]!.trim()}|${reason}`;
    });
  }
  return [];
}

test('the shipped catalog is sound', () => {
  const catalog = loadCatalog(shippedPath);
  assert.equal(catalog.currency, 'EUR');
  assert.ok(catalog.regions.every((region) => region.zones.length === 2));
  assert.equal(catalog.plans.filter((plan) => !plan.deprecated).length, 7);
});

// After a change of the schema: node --test --test-update-snapshots test/catalog/catalog.test.ts
test('catalog.schema.json is the schema that catalogs are checked against', (t) => {
  const serializers = [(text: unknown) => text];
  t.assert.fileSnapshot(jsonSchemaText(CatalogSchema), join(root, 'catalog.schema.json'), { serializers });
});

for (const [passage, replacement, expected] of [
  [
    'price_monthly: "3.99"',
    'price_monthly: 3.99',
    'price_monthly: 3.99|plans[0].price_monthly: must be string (Decimal in major units, such as "4.99")',
  ],
  [
    'price_monthly: "3.99"',
    'price_monthly: "3.999"',
    'price_monthly: "3.999"|plans[0].price_monthly: 3.999 is finer than the smallest unit of EUR',
  ],
  ['    vcpu: 2\n', '    vcpus: 2\n', 'vcpus: 2|plans[1].vcpus: is not a known key'],
  ['arch: x86_64', 'arch: amd64', 'arch: amd64|templates[0].arch: must be one of x86_64, arm64'],
  ['currency: EUR', 'currency: EUX', 'currency: EUX|currency: EUX is not a currency'],
  [
    'default_region: eu-central',
    'default_region: eu-north',
    'default_region: eu-north|default_region: there is no region eu-north',
  ],
  ['- code: s2\n', '- code: s1\n', '- code: s1|plans[1].code: the code s1 is used twice'],
  [
    '[eu-west-a, eu-west-b]',
    '[eu-west-a, eu-central-a]',
    'zones: [eu-west-a, eu-central-a]|regions[1].zones[1]: the zone eu-central-a is used twice',
  ],
  [
    'regions: [eu-central]',
    'regions: [eu-south]',
    'regions: [eu-south]|plans[6].regions[0]: there is no region eu-south',
  ],
  [
    'regions: [eu-central]',
    'regions: [eu-west, eu-west]',
    'regions: [eu-west, eu-west]|plans[6].regions[1]: the region eu-west is used twice',
  ],
  [
    '{ min: 1, max: 16, step: 1 }',
    '{ min: 20, max: 16, step: 1 }',
    'vcpu: { min: 20, max: 16, step: 1 }|custom.vcpu.max: must not be less than min, 20',
  ],
  [
    '{ min: 20, max: 1000, step: 10 }',
    '{ min: 20, max: 1000, step: 15 }',
    'disk_gb: { min: 20, max: 1000, step: 15 }|custom.disk_gb.step: steps of 15 from 20 do not reach 1000',
  ],
  [
    '{ from: 20000, to: 59999 }',
    '{ from: 20000, to: 1024 }',
    'port_forward_range: { from: 20000, to: 1024 }|regions[0].port_forward_range.to: must not be less than from, 20000',
  ],
  [
    '{ from: 20000, to: 59999 }',
    '{ from: 80, to: 59999 }',
    'port_forward_range: { from: 80, to: 59999 }|regions[0].port_forward_range.from: must be >= 1024',
  ],
  [
    '100.64.0.0/14',
    '100.64.0.0',
    'ipv4_pool: 100.64.0.0|regions[0].ipv4_pool: must be an IPv4 CIDR, not "100.64.0.0"',
  ],
  [
    '100.64.0.0/14',
    '2001:db8:9::/48',
    'ipv4_pool: 2001:db8:9::/48|regions[0].ipv4_pool: must be an IPv4 CIDR, not "2001:db8:9::/48"',
  ],
  [
    '100.64.0.0/14',
    '100.64.0.1/14',
    'ipv4_pool: 100.64.0.1/14|regions[0].ipv4_pool: 100.64.0.1/14 has bits set right of its prefix',
  ],
  [
    '100.64.0.0/14',
    '100.64.0.0/31',
    'ipv4_pool: 100.64.0.0/31|regions[0].ipv4_pool: 100.64.0.0/31 has no room for a gateway and a VM',
  ],
  [
    '100.68.0.0/14',
    '100.66.0.0/16',
    'ipv4_pool: 100.66.0.0/16|regions[1].ipv4_pool: overlaps 100.64.0.0/14 of region eu-central',
  ],
  [
    '2001:db8:2::/48',
    '2001:db8::/32',
    'ipv6_pool: 2001:db8::/32|regions[1].ipv6_pool: overlaps 2001:db8:1::/48 of region eu-central',
  ],
  [
    'port_forward_address: 192.0.2.20',
    'port_forward_address: 100.64.7.7',
    'port_forward_address: 100.64.7.7|regions[1].port_forward_address: 100.64.7.7 lies in a pool that VMs get their addresses from',
  ],
  [
    'port_forward_address: 192.0.2.20',
    'port_forward_address: 192.0.2.10',
    'port_forward_address: 192.0.2.10|regions[1].port_forward_address: the address 192.0.2.10 is used twice',
  ],
  [
    'port_forward_address: 192.0.2.20',
    'port_forward_address: example.com',
    'port_forward_address: example.com|regions[1].port_forward_address: must be an IPv4 address, not "example.com"',
  ],
  [
    'arch: x86_64',
    'arch: x86_64\n    image: ../tiny',
    'image: ../tiny|templates[0].image: must match pattern "^[a-z0-9][a-z0-9.-]{0,62}$" (Name of the image that VMs are made of, see docs/images.md; the code itself when absent)',
  ],
  [
    'min_ram_mb: 256',
    'min_ram_mb: 999999',
    '- code: alpine-3.22|templates[2]: nothing on sale is large enough for alpine-3.22',
  ],
] as const) {
  test(`${replacement.trim()} is refused where it stands`, () => {
    assert.deepEqual(
      faults(passage, replacement).filter((fault) => !fault.includes('lacks the key')),
      [expected],
    );
  });
}

test('a missing key is said of what lacks it', () => {
  assert.deepEqual(faults('    vcpu: 1\n', ''), ['- code: s1|plans[0]: lacks the key "vcpu"']);
});

test('all faults are named at once', () => {
  assert.equal(
    faults('tax_rate: "0"\ndefault_region: eu-central', 'tax_rate: 0\ndefault_region: 7').length,
    2,
  );
});

test('a template may name the image that serves it', () => {
  const path = join(directory, 'image.yaml');
  writeFileSync(path, shipped.replace('- code: alpine-3.22\n', '- code: alpine-3.22\n    image: tiny\n'));
  const catalog = loadCatalog(path);
  assert.equal(findTemplate(catalog, 'alpine-3.22')?.image, 'tiny');
  assert.equal(findTemplate(catalog, 'debian-12')?.image, undefined);
});

test('look-ups', () => {
  const catalog = loadCatalog(shippedPath);
  assert.equal(findPlan(catalog, 's1')?.price_monthly, '3.99');
  assert.equal(findPlan(catalog, 'nope'), undefined);
  assert.equal(findRegion(catalog, 'eu-west')?.country, 'FR');
  assert.equal(findTemplate(catalog, 'debian-11')?.deprecated, true);
  assert.equal(isSoldIn(findPlan(catalog, 'd8')!, 'eu-central'), true);
  assert.equal(isSoldIn(findPlan(catalog, 'd8')!, 'eu-west'), false);
  assert.equal(isSoldIn(findPlan(catalog, 's1-2023')!, 'eu-central'), false);
  assert.deepEqual(
    [10, 20, 25, 1000, 1010].map((gb) => isInRange(catalog.custom.disk_gb, gb)),
    [false, true, false, true, false],
  );
});
