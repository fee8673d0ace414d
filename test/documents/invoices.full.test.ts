import assert from 'node:assert/strict';
import { test } from 'node:test';
import { extractXml } from '@stackforge-eu/factur-x';
import { putBillingProfile } from '../../server/db/queries/money/billing-profiles.ts';
import { type BillingProfile, billingProfile } from '../../server/domain/tax/billing-profile.ts';
import { purgeExpired } from '../../server/jobs/timers/purge-expired.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, tenant } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { SELLER } from './support/samples.ts';

const { name, street, city, postcode, country, vat_id } = SELLER;
const SELLER_ENTRY = { name, street, city, postcode, country, vat_id };

const DUTCH: BillingProfile = {
  kind: 'business',
  name: 'Żółć & Ægir B.V.',
  street: 'Damrak 1',
  city: 'Amsterdam',
  postcode: '1012 LG',
  country: 'NL',
  vat_id: 'NL004495445B01',
  exempt_reason: null,
};

/** A stage whose seller is German and charges 19 %. */
async function germanStage(...[t, start]: Parameters<typeof Fixture.open>): Promise<Fixture> {
  const fixture = await Fixture.open(t, start);
  Object.assign(fixture.installation.services.catalog, {
    tax_rate: '0.19',
    tax_rates: { AT: '0.20' },
    seller: SELLER_ENTRY,
  });
  return fixture;
}

async function setProfile(fixture: Fixture, customer: Customer, profile: BillingProfile): Promise<void> {
  const { db, clock } = fixture.installation.services;
  await putBillingProfile(db, {
    account_id: customer.accountId,
    ...billingProfile(profile),
    updated_at: clock.now(),
  });
}

/** Returns a customer's invoices with their lines, oldest first. */
async function invoicesOf(customer: Customer) {
  const list: { id: string }[] = await customer.must({ method: 'GET', path: '/v1/billing/invoices' });
  const path = ({ id }: { id: string }) => `/v1/billing/invoices/${id}`;
  return Promise.all(list.reverse().map((invoice) => customer.must({ method: 'GET', path: path(invoice) })));
}

test('a business of another EU country pays the shown price without tax, and the invoice says why', async (t) => {
  const fixture = await germanStage(t, '2026-01-20T00:00:00Z');
  const { services } = fixture.installation;
  const customer = await tenant(fixture, 100_00n);
  const custom = '/v1/vm/custom-quote?vcpu=2&ram_mb=2048&disk_gb=40';
  const before = await customer.must({ method: 'GET', path: custom });
  assert.ok(before.tax_minor > 0);
  await setProfile(fixture, customer, DUTCH);
  const quote = await customer.must({ method: 'GET', path: custom });
  assert.deepEqual([quote.total_minor, quote.tax_minor], [before.total_minor, 0]);

  const id = await buyVm(fixture, customer);
  // A refund keeps the terms of its sale, whatever the buyer's status is by then.
  await setProfile(fixture, customer, { ...DUTCH, country: 'AT', vat_id: null, kind: 'consumer' });
  await comes(fixture, '2026-01-30T00:00:00Z');
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await fixture.finish();
  await setProfile(fixture, customer, DUTCH);
  await comes(fixture, '2026-02-01T01:00:00Z');
  await purgeExpired(services);

  const invoices = await invoicesOf(customer);
  const types = invoices.map(({ type }) => type).sort();
  assert.deepEqual(types, ['credit_note', 'invoice']);
  for (const invoice of invoices) {
    assert.deepEqual(invoice.taxes, [
      {
        tax_rate: '0',
        tax_category: 'reverse_charge',
        tax_reason: 'Reverse charge',
        subtotal_minor: invoice.total_minor,
        tax_minor: 0,
      },
    ]);
    assert.equal(invoice.seller.vat_id, SELLER.vat_id);
    assert.deepEqual(
      [invoice.buyer.name, invoice.buyer.country, invoice.buyer.vat_id],
      [DUTCH.name, 'NL', DUTCH.vat_id],
    );
  }
  // Fixed at issue: later changes of the profile have no effect.
  await setProfile(fixture, customer, { ...DUTCH, name: 'Another' });
  services.catalog.seller!.name = 'Another';
  assert.deepEqual(await invoicesOf(customer), invoices);
  await assertInvariants(fixture.db);
});

test('a consumer of another EU country pays the rate of it, contained in the same price', async (t) => {
  const fixture = await germanStage(t, '2026-01-20T00:00:00Z');
  const customer = await tenant(fixture, 100_00n);
  await setProfile(fixture, customer, { ...DUTCH, kind: 'consumer', country: 'AT', vat_id: null });
  await buyVm(fixture, customer);
  await comes(fixture, '2026-02-21T00:00:00Z');
  await purgeExpired(fixture.installation.services);
  const [january, february] = await invoicesOf(customer);
  for (const { taxes, total_minor } of [january, february]) {
    assert.deepEqual([taxes.length, taxes[0].tax_rate, taxes[0].tax_category], [1, '0.2', 'standard']);
    assert.deepEqual([total_minor, taxes[0].tax_minor], [699, 117]);
  }
  assert.equal(january.buyer.country, 'AT');
  assert.equal(february.buyer, null, 'a draft names no buyer yet');
});

test('an issued invoice is read as PDF and as XML, the same bytes each time', async (t) => {
  const fixture = await germanStage(t, '2026-01-20T00:00:00Z');
  const { services } = fixture.installation;
  const customer = await tenant(fixture, 100_00n);
  await setProfile(fixture, customer, DUTCH);
  await buyVm(fixture, customer);
  const [draft] = await invoicesOf(customer);
  const path = `/v1/billing/invoices/${draft.id}`;
  const early = await customer.read(path, 'application/pdf');
  assert.equal(early.status, 409);
  assert.equal(JSON.parse(early.bytes.toString()).error.code, 'document_unavailable');

  await comes(fixture, '2026-02-01T01:00:00Z');
  await purgeExpired(services);
  const pdf = await customer.read(path, 'application/pdf');
  assert.equal(pdf.status, 200, pdf.bytes.toString());
  assert.equal(pdf.headers['content-type'], 'application/pdf');
  assert.equal(pdf.headers['content-disposition'], 'attachment; filename="INV-000001.pdf"');
  const xml = await customer.read(path, 'application/xml');
  assert.equal(xml.headers['content-type'], 'application/xml');
  assert.equal((await extractXml(pdf.bytes)).xml, xml.bytes.toString(), 'the PDF has the XML attached');
  assert.match(xml.bytes.toString(), /<ram:Name>Żółć &amp; Ægir B\.V\.<\/ram:Name>/);

  services.clock.advance(3_600_000);
  for (const [accept, { bytes }] of [
    ['application/pdf', pdf],
    ['application/xml', xml],
  ] as const)
    assert.ok((await customer.read(path, accept)).bytes.equals(bytes), accept);
  for (const accept of [
    '',
    '*/*',
    'application/json',
    'text/html',
    'application/json, application/pdf;q=0.5',
  ]) {
    const { headers, bytes } = await customer.read(path, accept);
    assert.equal(headers['content-type'], 'application/json; charset=utf-8', accept);
    assert.equal(JSON.parse(bytes.toString()).data.id, draft.id);
  }
  const stranger = await tenant(fixture, 0n);
  assert.equal((await stranger.read(path, 'application/pdf')).status, 404);
});

test('an invoice to an unknown address is a PDF without XML, and without a seller there is neither', async (t) => {
  const fixture = await germanStage(t, '2026-01-20T00:00:00Z');
  const { services } = fixture.installation;
  const customer = await tenant(fixture, 100_00n);
  await buyVm(fixture, customer);
  await comes(fixture, '2026-02-21T00:00:00Z');
  await purgeExpired(services);
  const [january] = await invoicesOf(customer);
  assert.deepEqual([january.buyer.name, january.buyer.country], ['Test', null]);
  const path = `/v1/billing/invoices/${january.id}`;
  const xml = await customer.read(path, 'application/xml');
  assert.equal(xml.status, 409);
  assert.match(xml.bytes.toString(), /has no address of the buyer/);
  const pdf = await customer.read(path, 'application/pdf');
  assert.equal(pdf.status, 200);
  await assert.rejects(extractXml(pdf.bytes));

  services.catalog.seller = undefined;
  await comes(fixture, '2026-03-01T01:00:00Z');
  await purgeExpired(services);
  const february = (await invoicesOf(customer))[1];
  assert.deepEqual([february.status, february.seller], ['paid', null]);
  const refused = await customer.read(`/v1/billing/invoices/${february.id}`, 'application/pdf');
  assert.equal(refused.status, 409);
  assert.match(refused.bytes.toString(), /names no seller/);
});
