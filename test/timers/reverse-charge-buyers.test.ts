import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
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

/** A German seller's customer that buys as a Dutch business. */
async function stage(t: TestContext) {
  const fixture = await Fixture.open(t, '2026-01-10T00:00:00Z');
  const { services } = fixture.installation;
  const { name, street, city, postcode, country, vat_id } = SELLER;
  const seller = { name, street, city, postcode, country, vat_id };
  Object.assign(services.catalog, { tax_rate: '0.19', seller });
  const customer = await tenant(fixture, 100_00n);
  const operator = new Operator(services);
  await operator.setBuyer(customer, DUTCH);
  /** Issues the documents due in April and returns their month, state, buyer's VAT id and tax categories. */
  const documents = async () => {
    const party = { ...seller, tax_number: null, registration_id: null, email: null };
    await issueInvoices(fixture.db, new Date('2026-04-01T01:00:00Z'), undefined, party);
    const list: { id: string }[] = await customer.must({ method: 'GET', path: '/v1/billing/invoices' });
    const whole = await Promise.all(
      list.map(({ id }) => customer.must({ method: 'GET', path: `/v1/billing/invoices/${id}` })),
    );
    const said = whole.map(({ period_start_at, type, status, buyer, taxes }) => [
      ...[period_start_at.slice(0, 7), type, status, buyer?.vat_id],
      taxes.map((tax: { tax_category: string }) => tax.tax_category).join(),
    ]);
    return said.sort();
  };
  return { fixture, customer, operator, documents };
}

test('usage is taxed as its deposit was, and is made out to the VAT id under which that was taken', async (t) => {
  const { fixture, customer, operator, documents } = await stage(t);
  const vmId = await buyVm(fixture, customer, { plan: 's1', billing: 'hourly' });
  await operator.setBuyer(customer, NORWEGIAN);
  // A sale between the deposit and the usage, also at a rate of zero but for another reason.
  await comes(fixture, '2026-01-20T00:00:00Z');
  const debit = await operator.adjust(customer, { type: 'debit', amountMinor: 5_00n, vmId, reason: 'help' });
  assert.notEqual(typeof debit, 'string');
  await comes(fixture, '2026-02-10T00:00:00Z');
  await comes(fixture, '2026-03-10T00:00:00Z');
  assert.deepEqual(await documents(), [
    ['2026-01', 'invoice', 'paid', null, 'outside_scope'],
    ['2026-02', 'invoice', 'paid', 'NL004495445B01', 'reverse_charge'],
    ['2026-03', 'invoice', 'paid', null, 'outside_scope'],
  ]);
  await assertInvariants(fixture.db);
});

test('a voided refund is made out to the VAT id of the refunded sale', async (t) => {
  const { fixture, customer, operator, documents } = await stage(t);
  await buyVm(fixture, customer, { plan: 's1', auto_renew: false });
  const [{ id }] = await customer.must({ method: 'GET', path: '/v1/billing/orders' });
  await comes(fixture, '2026-02-05T00:00:00Z');
  const refund = await operator.refund(id, 1_00n, 'too slow');
  await operator.setBuyer(customer, NORWEGIAN);
  await comes(fixture, '2026-03-05T00:00:00Z');
  assert.ok(typeof refund !== 'string');
  assert.notEqual(typeof (await operator.void(refund.id, 'by mistake')), 'string');
  assert.deepEqual(await documents(), [
    ['2026-01', 'invoice', 'paid', 'NL004495445B01', 'reverse_charge'],
    ['2026-02', 'credit_note', 'paid', 'NL004495445B01', 'reverse_charge'],
    ['2026-03', 'invoice', 'paid', 'NL004495445B01', 'reverse_charge'],
  ]);
  await assertInvariants(fixture.db);
});
