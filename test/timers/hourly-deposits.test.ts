import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { type OrderRow, settleOrder } from '../../server/db/queries/money/orders.ts';
import { recognizeRevenue } from '../../server/db/queries/money/recognition.ts';
import { post } from '../../server/db/queries/money/wallets.ts';
import type { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';
import { available, linesOf, owner } from './hourly-support.ts';

/** Totals by the first part of the ledger's account codes. */
async function journalOf({ db }: Fixture): Promise<Record<string, bigint>> {
  const rows = await db.query<{ code: string; amount: bigint }>(sql`
    select split_part(code, ':', 1) as code, sum(amount)::bigint as amount from journal,
      lateral (values (credit, amount_minor), (debit, -amount_minor)) as leg (code, amount)
    group by 1 having sum(amount) <> 0`);
  return Object.fromEntries(rows.map(({ code, amount }) => [code, amount]));
}

const documentsOf = ({ db }: Fixture) =>
  db.query<{ type: string; total_minor: bigint; tax_minor: bigint }>(
    sql`select type, total_minor, tax_minor from invoices where status <> 'draft' order by period_start_at, type`,
  );

test('VMs of 20 minutes are invoiced for their usage, with VAT, and nothing is credited', async (t) => {
  const { fixture, customer, id, at } = await owner(t, 200_00n);
  const ids = [id];
  for (let n = 1; n < 20; n++) ids.push(await buyVm(fixture, customer, { plan: 's1', billing: 'hourly' }));
  assert.equal(await available(customer), 200_00 - 20 * 399);
  const wallet = await customer.must({ method: 'GET', path: '/v1/billing/wallet' });
  assert.equal(wallet.held_minor, 20 * 399);
  at('2026-01-01T00:20:00Z');
  for (const one of ids) await customer.must({ method: 'DELETE', path: `/v1/vm/${one}` });
  await fixture.finish();
  assert.equal(await available(customer), 200_00 - 20);
  at('2026-02-01T01:00:00Z');
  await recognizeRevenue(fixture.db, new Date('2026-02-01T00:10:00Z'));
  await issueInvoices(fixture.db, new Date('2026-02-01T01:00:00Z'));
  const [invoice, ...others] = await documentsOf(fixture);
  assert.deepEqual([invoice!.type, invoice!.total_minor, others], ['invoice', 20n, []]);
  const [{ id: invoiceId }] = await customer.must({ method: 'GET', path: '/v1/billing/invoices' });
  const { lines, tax_minor } = await customer.must({
    method: 'GET',
    path: `/v1/billing/invoices/${invoiceId}`,
  });
  assert.deepEqual(
    lines.map(({ vm_id, unit, amount_minor }: Record<string, unknown>) => [vm_id, unit, amount_minor]).sort(),
    ids.map((vm) => [vm, 'hour', 1]).sort(),
  );
  const { revenue = 0n, tax = 0n, deferred = 0n, hold = 0n, refunds = 0n } = await journalOf(fixture);
  // Rounded separately, no line has tax; their sum has.
  assert.equal(tax_minor, 3);
  assert.deepEqual([revenue + tax, tax, deferred, hold, refunds], [20n, BigInt(tax_minor), 0n, 0n, 0n]);
  await assertInvariants(fixture.db);
});

test('each month of a VM is one line, on the invoice of the calendar month in which it ends', async (t) => {
  const { fixture, customer, at, id } = await owner(t);
  // A VM whose months extend across the ends of calendar months.
  at('2026-01-15T00:00:00Z');
  const other = await buyVm(fixture, customer, { plan: 's2', billing: 'hourly' });
  await comes(fixture, '2026-02-01T00:00:00Z');
  await comes(fixture, '2026-02-15T00:00:00Z');
  await comes(fixture, '2026-03-01T00:00:00Z');
  const usage = [
    { description: 'Released deposit for Shared S1', quantity: 1, unit: 'deposit', amount_minor: -399n },
    { description: 'Shared S1, 744 hours', quantity: 744, unit: 'hour', amount_minor: 399n },
  ];
  const next = [usage[0], { ...usage[1]!, description: 'Shared S1, 672 hours', quantity: 672 }];
  assert.deepEqual(await linesOf(fixture, id, 'hourly_usage'), [...usage, ...next]);
  const [first] = (await linesOf(fixture, other, 'hourly_usage')).slice(1);
  assert.deepEqual([first!.description, first!.amount_minor], ['Shared S2, 744 hours', 699n]);
  const wallet = await customer.must({ method: 'GET', path: '/v1/billing/wallet' });
  assert.equal(wallet.held_minor, 399 + 699);
  await issueInvoices(fixture.db, new Date('2026-03-01T01:00:00Z'));
  assert.deepEqual(
    (await documentsOf(fixture)).map(({ type, total_minor }) => [type, total_minor]),
    [['invoice', 399n + 699n]],
  );
  await assertInvariants(fixture.db);
});

test('the usage of a month is sold once when it ends, renewed or not', async (t) => {
  const { fixture, customer, id, remove } = await owner(t, 399n);
  await comes(fixture, '2026-02-01T00:00:00Z');
  const sold = async () =>
    (await linesOf(fixture, id, 'hourly_usage')).map(({ amount_minor }) => amount_minor);
  assert.deepEqual(await sold(), [-399n, 399n]);
  assert.deepEqual((await vmOf(fixture, id)).deposit_minor, null);
  await comes(fixture, '2026-02-02T00:00:00Z');
  assert.equal((await remove()).amount_minor, 0);
  assert.deepEqual(await sold(), [-399n, 399n]);
  assert.equal(await available(customer), 0);
  await assertInvariants(fixture.db);
});

test('a change while a node of the last release is at work: its deposit becomes the sale that it took it for', async (t) => {
  const { fixture, id, at, customer } = await owner(t);
  at('2026-01-11T00:00:00Z');
  // Such a node changes the start of the counted hours and does not touch the deposit.
  await fixture.db.query(
    sql`update vms set metered_since = ${new Date('2026-01-11T00:00:00Z')} where id = ${id}`,
  );
  await comes(fixture, '2026-01-11T00:01:00Z');
  assert.deepEqual(await linesOf(fixture, id, 'hourly_usage'), [
    { description: 'Released deposit for Shared S1', quantity: 1, unit: 'deposit', amount_minor: -399n },
    { description: 'Shared S1', quantity: 1, unit: 'month', amount_minor: 399n },
  ]);
  const { held_minor } = await customer.must({ method: 'GET', path: '/v1/billing/wallet' });
  assert.deepEqual([held_minor, (await vmOf(fixture, id)).deposit_minor], [0, null]);
});

test('a node that knows nothing of deposits cannot settle one', async (t) => {
  const { fixture, customer } = await owner(t);
  const body = { plan: 's1', template: 'debian-12', hostname: 'web', billing: 'hourly' };
  await customer.must({ method: 'POST', path: '/v1/vm', body });
  const { accountId } = customer;
  const at = fixture.installation.services.clock.now();
  const [order] = await fixture.db.query<OrderRow>(sql`select * from orders where status = 'pending'`);
  const orderId = order!.id;
  // Such a node books the deposit as the sale of a month.
  const sale = { accountId, orderId, debit: 'hold', credit: 'deferred:0.2', amountMinor: 399n } as const;
  await assert.rejects(
    fixture.db.transaction(async (tx) => {
      await post(tx, { ...sale, reason: 'capture', at });
      const settlement = { status: 'completed', invoiceId: null, balanceAfterMinor: 0n, at } as const;
      await settleOrder(tx, order!, settlement);
    }),
    /would sell a deposit/,
  );
  await fixture.finish();
  await assertInvariants(fixture.db);
});

test('a VM that could not be created gets its deposit back', async (t) => {
  const { fixture, customer } = await owner(t);
  const before = await available(customer);
  fixture.trouble = {
    engine: () => {
      throw new Error('no such image');
    },
  };
  const body = { plan: 's1', template: 'debian-12', hostname: 'web', billing: 'hourly' };
  await customer.must({ method: 'POST', path: '/v1/vm', body });
  assert.equal(await available(customer), before - 399);
  await fixture.finish();
  assert.equal(await available(customer), before);
  await assertInvariants(fixture.db);
});

test('a document that a node of the last release issues has no deposit in its total', async (t) => {
  const { fixture, at, change } = await owner(t);
  at('2026-01-11T00:00:00Z');
  await change({ plan: 's2' });
  // Such a node sums all lines of the orders on a draft and does not know taxes by rate.
  await fixture.db.query(sql`
    update invoices set status = 'paid', issued_at = period_end_at, paid_at = period_end_at, sequence = 1, number = 'INV-000001',
      total_minor = lines.total, tax_minor = lines.tax, buyer = '{"name": "Test"}'::jsonb
    from (select invoice_id, sum(order_lines.amount_minor) as total, sum(tax_minor) as tax
      from orders join order_lines on order_id = orders.id group by 1) as lines
    where lines.invoice_id = invoices.id`);
  // Ten days at 0.006 per hour cost 1.44.
  assert.deepEqual(
    (await documentsOf(fixture)).map(({ total_minor, tax_minor }) => [total_minor, tax_minor]),
    [[144n, 24n]],
  );
});
