import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { refundOrder } from '../../server/domain/billing/adjustments/correct-order.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { fundedAccount, storedVm, withLedger } from '../billing/support.ts';
import { buyVm } from '../jobs/support/landlord.ts';
import { Operator } from '../jobs/support/operator.ts';
import { freshDatabase } from '../support/database.ts';
import { assertInvariants, ledgerProblems } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';
import { change, give, throttling } from '../timers/throttle-support.ts';
import { send } from '../timers/usage-support.ts';
import { documentSales, journalSales, listedSales } from './support/sales.ts';
import { SELLER } from './support/samples.ts';
import { DUTCH, profile, sell, setProfile, termsFor } from './support/seller.ts';

/** Taxed at Germany's rate, so only the country distinguishes them. */
const FRENCH = profile({ country: 'FR' });

test('a refund of a change goes to its buyer, not to the seller of the rest', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-05T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 10_000n);
  const vm = await storedVm(db, clock, accountId);
  await setProfile(db, clock, accountId, profile());
  await sell(db, clock, vm, [999n], termsFor(profile()));
  clock.advance(1_000);
  await setProfile(db, clock, accountId, FRENCH);
  const change = await sell(db, clock, vm, [-500n, 999n], termsFor(FRENCH));
  clock.advance(1_000);
  const wish = { orderId: change.id, reason: 'goodwill', actor: 'test' };
  const refund = await withLedger(db, clock, (ledger) => refundOrder(ledger, wish, () => 200n));
  const lines = await db.query(
    sql`select amount_minor, sold_to ->> 'country' as country from order_lines where order_id in (${change.id}, ${refund.id})
      order by order_id, position`,
  );
  assert.deepEqual(lines, [
    { amount_minor: -500n, country: 'DE' },
    { amount_minor: 999n, country: 'FR' },
    { amount_minor: -200n, country: 'FR' },
  ]);
  assert.deepEqual(await ledgerProblems(db), []);
});

test('the part of a deposit kept for traffic is sold to the VAT id under which the deposit was taken', async (t) => {
  const { fixture, customer } = await throttling(t);
  const { services } = fixture.installation;
  const { name, street, city, postcode, country, vat_id } = SELLER;
  const seller = { name, street, city, postcode, country, vat_id };
  Object.assign(services.catalog, { tax_rate: '0.19', seller });
  const operator = new Operator(services);
  await operator.setBuyer(customer, DUTCH);
  const id = await buyVm(fixture, customer, { billing: 'hourly' });
  await send(fixture, id, '2026-01-01', 1000);
  services.clock.set(new Date('2026-01-01T00:30:00Z'));
  await operator.setBuyer(customer, FRENCH);
  await give(fixture, customer, id);
  const sold = await fixture.db.query(
    sql`select unit, tax_category, sold_to from order_lines join orders on orders.id = order_id
      where vm_id = ${id} and kind = 'delete_refund' and unit <> 'deposit' order by position`,
  );
  const dutch = { country: 'NL', vat_id: DUTCH.vat_id };
  assert.deepEqual(sold, [
    { unit: 'hour', tax_category: 'reverse_charge', sold_to: dutch },
    { unit: 'adjustment', tax_category: 'reverse_charge', sold_to: dutch },
  ]);
  await assertInvariants(fixture.db);
});

test('documents, journal and list of sales agree after corrections of VMs whose buyer moved', async (t) => {
  const { fixture, customer } = await throttling(t, {
    at_included: undefined,
    throttle_mbps: undefined,
    traffic_per_gb: '0.01',
  });
  const { db, installation } = fixture;
  const { services } = installation;
  const { name, street, city, postcode, country, vat_id } = SELLER;
  Object.assign(services.catalog, {
    tax_rate: '0.19',
    seller: { name, street, city, postcode, country, vat_id },
    sla: { credits: [{ uptime_below: '100', percent: 10 }] },
  });
  const operator = new Operator(services);
  const at = (instant: string) => services.clock.set(new Date(instant));
  const must = async <T>(made: Promise<T | string>): Promise<T> => {
    const result = await made;
    if (typeof result === 'string') throw new Error(result);
    return result;
  };
  await operator.setBuyer(customer, profile());
  const hourly = await buyVm(fixture, customer, { billing: 'hourly' });
  const monthly = await buyVm(fixture, customer);
  at('2026-01-08T00:00:00Z');
  await operator.setBuyer(customer, FRENCH);
  for (const id of [hourly, monthly]) await change(fixture, customer, id, 's4');
  await send(fixture, monthly, '2026-01-09', 4000);
  await operator.creditOutage({
    ...{ region: null, vm_id: monthly, reason: 'power' },
    ...{ from: new Date('2026-01-03T00:00:00Z'), to: new Date('2026-01-05T00:00:00Z') },
  });
  at('2026-01-12T00:00:00Z');
  const orders = await db.query<{ id: string; kind: string }>(
    sql`select id, kind from orders where status = 'completed' and kind = 'change_plan' order by id`,
  );
  for (const { id } of orders) await operator.refund(id, 1_00n, 'goodwill');
  await operator.setBuyer(customer, DUTCH);
  const debit = await must(
    operator.adjust(customer, { type: 'debit', amountMinor: 5_00n, vmId: monthly, reason: 'help' }),
  );
  await must(
    operator.adjust(customer, { type: 'credit', amountMinor: 3_00n, vmId: hourly, reason: 'thanks' }),
  );
  await operator.setBuyer(customer, profile());
  await must(operator.void(debit.id, 'typo'));
  at('2026-01-20T00:30:00Z');
  for (const id of [hourly, monthly]) await give(fixture, customer, id);
  await issueInvoices(db, new Date('2026-02-01T00:10:00Z'), 100, SELLER);
  const documents = await documentSales(db);
  const days = { from: new Date('2026-01-01T00:00:00Z'), to: new Date('2027-01-01T00:00:00Z') };
  assert.deepEqual(await journalSales(db, days), documents);
  assert.deepEqual(await listedSales(db, days.from), documents);
  assert.deepEqual(documents, {
    '0.19 DE standard -': { net: 2293n, tax: 436n },
    '0.19 FR standard -': { net: 813n, tax: 155n },
    // The debit was made and undone; the credit remains.
    [`0 NL reverse_charge ${DUTCH.vat_id}`]: { net: -300n, tax: 0n },
  });
  await assertInvariants(db);
});
