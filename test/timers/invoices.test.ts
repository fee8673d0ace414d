import assert from 'node:assert/strict';
import { test } from 'node:test';
import { purgeExpired } from '../../server/jobs/timers/purge-expired.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, tenant } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

interface Invoice {
  id: string;
  status: string;
  period_start_at: string;
  subtotal_minor: number;
  tax_minor: number;
  total_minor: number;
  type: string;
  number: string | null;
  corrects: { number: string }[];
}

/** Returns a customer's invoices, oldest first. */
async function invoicesOf(customer: Customer): Promise<Invoice[]> {
  return (await customer.must({ method: 'GET', path: '/v1/billing/invoices' })).reverse();
}

test('there is an invoice a month, issued when the month is over, and its lines add up', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-20T00:00:00Z');
  const { services } = fixture.installation;
  const customer = await tenant(fixture, 100_00n);
  const id = await buyVm(fixture, customer);
  await comes(fixture, '2026-01-31T23:59:59Z');
  await purgeExpired(services);
  assert.deepEqual(
    (await invoicesOf(customer)).map(({ status }) => status),
    ['draft'],
  );
  await comes(fixture, '2026-02-01T01:00:00Z');
  await purgeExpired(services);
  assert.deepEqual(
    (await invoicesOf(customer)).map(({ status }) => status),
    ['paid'],
  );

  await comes(fixture, '2026-02-20T00:00:00Z');
  const body = { plan: 's4', allow_reboot: true };
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body });
  await fixture.finish();
  // Nothing happens in March: February's period lasts until the 20th, and then the VM is deleted.
  await comes(fixture, '2026-03-05T12:34:56Z');
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await fixture.finish();
  await comes(fixture, '2026-05-10T00:00:00Z');
  await buyVm(fixture, customer);
  await comes(fixture, '2026-06-01T01:00:00Z');
  await purgeExpired(services);

  const invoices = await invoicesOf(customer);
  assert.deepEqual(
    invoices.map(({ period_start_at, status }) => `${period_start_at.slice(0, 7)} ${status}`),
    ['2026-01 paid', '2026-02 paid', '2026-03 paid', '2026-05 paid'],
  );
  assert.deepEqual(
    invoices.map(({ type, number, corrects }) => [type, number, corrects.map((sold) => sold.number)]),
    [
      ['invoice', 'INV-000001', []],
      ['invoice', 'INV-000002', []],
      // The deleted month was renewed and changed in February.
      ['credit_note', 'CN-000001', ['INV-000002']],
      ['invoice', 'INV-000003', []],
    ],
  );
  let billed = 0;
  for (const { id, total_minor, subtotal_minor, tax_minor } of invoices) {
    const { lines } = await customer.must({ method: 'GET', path: `/v1/billing/invoices/${id}` });
    const sum = lines.reduce((total: number, line: { amount_minor: number }) => total + line.amount_minor, 0);
    assert.equal(sum, total_minor);
    assert.equal(subtotal_minor + tax_minor, total_minor);
    billed += total_minor;
  }
  assert.ok(invoices[2]!.total_minor < 0, 'a month in which only money was given back');
  assert.equal((await customer.wallet()).available_minor, 100_00n - BigInt(billed));
  await assertInvariants(fixture.db);
});
