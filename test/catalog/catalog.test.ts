import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { after, test } from 'node:test';
import { catalogFaults } from '../../server/domain/catalog/catalog-rules.ts';
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

/** Returns "line text|reason" for each problem of the shipped catalog with one passage replaced. */
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
  [
    'tax_rate: "0"',
    'tax_rate: "0"\nusage: { traffic_per_gb: "10000.01" }',
    'usage: { traffic_per_gb: "10000.01" }|usage.traffic_per_gb: 10000.01 is more than 1000000 of the smallest units of EUR per GB',
  ],
  [
    'price_hourly: "0.0060"',
    'price_hourly: "0.005937"',
    'price_hourly: "0.005937"|plans[0].price_hourly: 0.005937 per hour is less than 3.99 in a month of 672 hours: it must be at least 0.005938',
  ],
  [
    'price_hourly: "0.0060"',
    'price_hourly: "4"',
    'price_hourly: "4"|plans[0].price_hourly: 4 per hour is more than 3.99 per month',
  ],
  [
    'disk_gb: "0.045" }\n',
    'disk_gb: "0.045" }\n  price_hourly: { vcpu: "0.0034", ram_gb: "0.001", disk_gb: "0.00007" }\n',
    'price_hourly: { vcpu: "0.0034", ram_gb: "0.001", disk_gb: "0.00007" }|custom.price_hourly.ram_gb: 0.001 per hour is less than 1.10 in a month of 672 hours: it must be at least 0.001637',
  ],
  [
    'tax_rate: "0"',
    'tax_rate: "0"\nsla: { credits: [{ uptime_below: "100.1", percent: 10 }] }',
    'sla: { credits: [{ uptime_below: "100.1", percent: 10 }] }|sla.credits[0].uptime_below: must be more than 0 and at most 100 percent',
  ],
  [
    'tax_rate: "0"',
    'tax_rate: "0"\nsla: { credits: [{ uptime_below: "99", percent: 25 }, { uptime_below: "99.9", percent: 30 }] }',
    'sla: { credits: [{ uptime_below: "99", percent: 25 }, { uptime_below: "99.9", percent: 30 }] }|sla.credits[1].uptime_below: must be less than that of the previous one, 99',
  ],
  [
    'tax_rate: "0"',
    'tax_rate: "0"\nsla: { credits: [{ uptime_below: "99.9", percent: 25 }, { uptime_below: "99", percent: 25 }] }',
    'sla: { credits: [{ uptime_below: "99.9", percent: 25 }, { uptime_below: "99", percent: 25 }] }|sla.credits[1].percent: must be more than that of the previous one, 25',
  ],
  [
    'tax_rate: "0"',
    'tax_rate: "0"\nadd_ons: [{ code: ipv4, name: Extra public IPv4 address with reverse DNS and DDoS protection, price_monthly: "2.50", max_quantity: 4 }]',
    'add_ons: [{ code: ipv4, name: Extra public IPv4 address with reverse DNS and DDoS protection, price_monthly: "2.50", max_quantity: 4 }]|add_ons[0].name: must NOT have more than 60 characters (Shown to customers and on invoices)',
  ],
  ['    vcpu: 2\n', '    vcpus: 2\n', 'vcpus: 2|plans[1].vcpus: is not a known key'],
  ['arch: x86_64', 'arch: amd64', 'arch: amd64|templates[0].arch: must be one of x86_64, arm64'],
  [
    'tax_rate: "0"',
    'tax_rate: "0.08875"\ntax_rates: { XX: "0.20" }',
    'tax_rates: { XX: "0.20" }|tax_rates.XX: must be the ISO 3166-1 code of a country, such as DE',
    'tax_rates: { EL: "0.24" }|tax_rates.EL: must be the ISO 3166-1 code of a country: use GR (Greece) instead of EL',
  ],
  [
    'tax_rate: "0"',
    'tax_rate: "0.19"\nseller: { name: Host, street: A 1, city: B, country: DE }',
    'seller: { name: Host, street: A 1, city: B, country: DE }|seller: needs a vat_id or a tax_number',
  ],
  [
    'tax_rate: "0"',
    'tax_rate: "0.19"\nseller: { name: Host, street: A 1, city: B, country: DE, vat_id: ATU37675002 }',
    'seller: { name: Host, street: A 1, city: B, country: DE, vat_id: ATU37675002 }|seller.vat_id: is not a VAT id of Germany, which begins with DE',
  ],
  ['currency: EUR', 'currency: EUX', 'currency: EUX|currency: EUX is not a currency of ISO 4217'],
  [
    'default_region: eu-central',
    'default_region: eu-north',
    'default_region: eu-north|default_region: there is no region eu-north',
  ],
  [
    '{ min: 1, max: 16, step: 1 }',
    '{ min: 1, max: 999999999, step: 1 }',
    'price_monthly: { vcpu: "2.20", ram_gb: "1.10", disk_gb: "0.045" }|custom.price_monthly: the largest custom configuration would cost more than 1000000000.00 EUR a month',
  ],
  [
    '{ min: 1, max: 16, step: 1 }',
    '{ min: 1, max: 9007199254740991, step: 1 }',
    'vcpu: { min: 1, max: 9007199254740991, step: 1 }|custom.vcpu.max: must be <= 2147483647',
  ],
  [
    'tax_rate: "0"',
    'tax_rate: "0.1234567"',
    'tax_rate: "0.1234567"|tax_rate: must match pattern "^0(\\.[0-9]{1,6})?$" (Tax rate contained in prices: "0.20" for 20 %, "0.08875" for 8.875 %)',
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
    'ipv4_pool: 100.64.0.1/14|regions[0].ipv4_pool: 100.64.0.1/14 has bits set to the right of its prefix',
  ],
  [
    '100.64.0.0/14',
    '100.64.0.0/31',
    'ipv4_pool: 100.64.0.0/31|regions[0].ipv4_pool: 100.64.0.0/31 is too small for a gateway and a VM',
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
    'port_forward_address: 100.64.7.7|regions[1].port_forward_address: 100.64.7.7 is in a pool from which VMs get their addresses',
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
    'price_monthly: "3.99"',
    'price_monthly: "3.99"\n    prices: [{ valid_from: "2027-02-30", price_monthly: "4.99" }]',
    'prices: [{ valid_from: "2027-02-30", price_monthly: "4.99" }]|plans[0].prices[0].valid_from: there is no day 2027-02-30',
  ],
  [
    'price_monthly: "3.99"',
    'price_monthly: "3.99"\n    prices: [{ valid_from: 2027-02-01, price_monthly: "4.999" }]',
    'prices: [{ valid_from: 2027-02-01, price_monthly: "4.999" }]|plans[0].prices[0].price_monthly: 4.999 is finer than the smallest unit of EUR',
  ],
  [
    'price_monthly: "3.99"',
    'price_monthly: "3.99"\n    prices: [{ valid_from: "2027-02-01", price_monthly: "4" }, { valid_from: "2027-02-01", price_monthly: "5" }]',
    'prices: [{ valid_from: "2027-02-01", price_monthly: "4" }, { valid_from: "2027-02-01", price_monthly: "5" }]|plans[0].prices[1].valid_from: must be later than that of the previous price, 2027-02-01',
  ],
  [
    'price_monthly: "3.99"',
    'price_monthly: "3.99"\n    prices: [{ valid_from: "2027-02-01", existing_from: "2027-01-31", price_monthly: "4" }]',
    'prices: [{ valid_from: "2027-02-01", existing_from: "2027-01-31", price_monthly: "4" }]|plans[0].prices[0].existing_from: must not be earlier than valid_from, 2027-02-01',
  ],
  [
    'price_monthly: "3.99"',
    'price_monthly: "3.99"\n    retires_on: "2027-13-01"',
    'retires_on: "2027-13-01"|plans[0].retires_on: there is no day 2027-13-01',
  ],
  [
    'price_monthly: { vcpu: "2.20", ram_gb: "1.10", disk_gb: "0.045" }',
    'price_monthly: { vcpu: "2.20", ram_gb: "1.10", disk_gb: "0.045" }\n  prices: [{ valid_from: "2027-02-01", price_monthly: { vcpu: "99999999", ram_gb: "1", disk_gb: "0" } }]',
    'prices: [{ valid_from: "2027-02-01", price_monthly: { vcpu: "99999999", ram_gb: "1", disk_gb: "0" } }]|custom.prices[0].price_monthly: the largest custom configuration would cost more than 1000000000.00 EUR a month',
  ],
  [
    'arch: x86_64',
    'arch: x86_64\n    image: ../tiny',
    'image: ../tiny|templates[0].image: must match pattern "^[a-z0-9][a-z0-9.-]{0,62}$" (Name of the image for VMs, see docs/images.md; defaults to the code)',
  ],
  [
    'min_ram_mb: 256',
    'min_ram_mb: 999999',
    '- code: alpine-3.22|templates[2]: nothing for sale is large enough for alpine-3.22',
  ],
] as const) {
  test(`${replacement.trim()} is refused at its place`, () => {
    assert.deepEqual(
      faults(passage, replacement).filter((fault) => !fault.includes('lacks the key')),
      [expected],
    );
  });
}

test('a tax rate may have six decimals', () => {
  assert.deepEqual(faults('tax_rate: "0"', 'tax_rate: "0.08875"'), []);
});

test('the highest price keeps sums of prices exact, in each currency', () => {
  const catalog = loadCatalog(shippedPath);
  for (const [currency, price, most] of [
    ['EUR', '999999999.99', null],
    ['JPY', '999999999', null],
    ['KWD', '100000000.000', null],
    ['KWD', '100000000.001', '100000000.000 KWD a month'],
  ] as const) {
    const plan = { ...catalog.plans[0]!, price_monthly: price, price_hourly: undefined };
    const expected = most && { path: ['plans', 0, 'price_monthly'], reason: `${price} is more than ${most}` };
    assert.deepEqual(
      catalogFaults({ ...catalog, currency, plans: [plan], templates: [] }),
      expected ? [expected] : [],
    );
  }
});

test('a missing key is reported for its parent', () => {
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
