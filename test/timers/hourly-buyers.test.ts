import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BillingProfile } from '../../server/domain/tax/billing-profile.ts';
import { SELLER } from '../documents/support/samples.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, tenant } from '../jobs/support/landlord.ts';
import { Operator } from '../jobs/support/operator.ts';
import { assertInvariants } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';

const DUTCH: BillingProfile = {
  kind: 'business',
  name: 'Ægir B.V.',
  street: 'Damrak 1',
  city: 'Amsterdam',
  postcode: '1012 LG',
  country: 'NL',
  vat_id: 'NL004495445B01',
  exempt_reason: null,
};
const NORWEGIAN: BillingProfile = { ...DUTCH, city: 'Oslo', country: 'NO', vat_id: null };

test('usage is taxed as its deposit was, and is made out to the VAT id under which that was taken', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-10T00:00:00Z');
  const { services } = fixture.installation;
  const { name, street, city, postcode, country, vat_id } = SELLER;
  const seller = { name, street, city, postcode, country, vat_id };
  Object.assign(services.catalog, { tax_rate: '0.19', seller });
  const customer = await tenant(fixture, 100_00n);
  const operator = new Operator(services);
  await operator.setBuyer(customer, DUTCH);
  const vmId = await buyVm(fixture, customer, { plan: 's1', billing: 'hourly' });
  await operator.setBuyer(customer, NORWEGIAN);
  // Sold at the same rate of nothing, for another reason, between the deposit and the usage.
  await comes(fixture, '2026-01-20T00:00:00Z');
  const debit = await operator.adjust(customer, { type: 'debit', amountMinor: 5_00n, vmId, reason: 'help' });
  assert.notEqual(typeof debit, 'string');
  await comes(fixture, '2026-02-10T00:00:00Z');
  await comes(fixture, '2026-03-10T00:00:00Z');
  await issueInvoices(fixture.db, new Date('2026-04-01T01:00:00Z'), undefined, {
    ...seller,
    tax_number: null,
    registration_id: null,
    email: null,
  });
  const list: { id: string }[] = await customer.must({ method: 'GET', path: '/v1/billing/invoices' });
  const documents = await Promise.all(
    list.map(({ id }) => customer.must({ method: 'GET', path: `/v1/billing/invoices/${id}` })),
  );
  const said = documents.map(({ period_start_at, status, buyer, taxes }) => [
    ...[period_start_at.slice(0, 7), status, buyer?.vat_id],
    taxes.map((tax: { tax_category: string }) => tax.tax_category).join(),
  ]);
  assert.deepEqual(said.sort(), [
    ['2026-01', 'paid', null, 'outside_scope'],
    ['2026-02', 'paid', 'NL004495445B01', 'reverse_charge'],
    ['2026-03', 'paid', null, 'outside_scope'],
  ]);
  await assertInvariants(fixture.db);
});
