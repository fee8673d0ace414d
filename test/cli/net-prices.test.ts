import assert from 'node:assert/strict';
import { test } from 'node:test';
import { operate } from '../chaos/support/customer.ts';
import { startInProcess } from '../chaos/support/in-process.ts';
import { SELLER } from '../documents/support/samples.ts';
import { cliAt } from './support/cli.ts';

const PROFILE = { kind: 'business', name: 'Example Ltd', street: 'A 1', city: 'Amsterdam', country: 'NL' };
const ORDER = ['vm', 'create', 'web-1', '--plan', 's1', '--template', 'debian-12'];

test('before a business buys at net prices, it sees net price and tax', async (t) => {
  const service = await startInProcess(t);
  const { name, street, city, postcode, country, vat_id } = SELLER;
  const seller = { name, street, city, postcode, country, vat_id };
  Object.assign(service.service.services.catalog, { tax_rate: '0.19', seller, business_prices: 'net' });
  const { id } = await operate(service, '/accounts', { name: 'Example Ltd' });
  const { key } = await operate(service, `/accounts/${id}/keys`, {
    name: 'cli',
    scopes: ['catalog:read', 'billing:read', 'vm:create'],
  });
  const cli = cliAt(service.baseUrl, key);
  const asked = async (profile: object) => {
    await operate(service, `/accounts/${id}/billing-profile`, { ...PROFILE, ...profile });
    const { code, stderr } = await cli(ORDER, { answer: 'n' });
    assert.equal(code, 4, stderr);
    return stderr;
  };
  const withoutId = await asked({});
  assert.match(withoutId, /^3\.99 EUR per month, paid in advance\.$/m);
  assert.doesNotMatch(withoutId, /net/);
  const abroad = await asked({ vat_id: 'NL004495445B01' });
  assert.match(abroad, /^3\.35 EUR per month, paid in advance\.$/m);
  assert.match(abroad, /^No tax is due\.$/m);
  const atHome = await asked({ country: 'DE', vat_id: 'DE136695976' });
  assert.match(atHome, /^3\.99 EUR per month, paid in advance\.$/m);
  assert.match(atHome, /^A month costs 3\.35 EUR net plus 0\.64 EUR tax\.$/m);
});
