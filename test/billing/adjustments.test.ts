import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { recognizeRevenue } from '../../server/db/queries/money/recognition.ts';
import { creditOrDebit } from '../../server/domain/billing/adjustments/credit-or-debit.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { issueInvoices } from '../support/issue.ts';
import { shop } from './shop.ts';

const DAY_MS = 86_400_000;

test('a refund names the invoice of its order, at its rate and service period', async (t) => {
  const { db, clock, services, customer, buy, refund, sound } = await shop(t);
  const { order } = await buy('s1');
  services.catalog.tax_rate = '0.25';
  clock.advance(10 * DAY_MS);
  const made = await refund(order.id, 119n);
  assert.deepEqual([made.amount_minor, made.corrects_order_id], [-119n, order.id]);
  const [listed] = await customer.must({ method: 'GET', path: '/v1/billing/orders?kind=adjustment' });
  assert.deepEqual(listed.adjustment, { type: 'refund', reason: 'because', corrects_order_id: order.id });
  clock.set(new Date('2026-02-02T00:20:00Z'));
  await recognizeRevenue(db, clock.now());
  await issueInvoices(db, clock.now());
  const invoices = await customer.must({ method: 'GET', path: '/v1/billing/invoices' });
  const [note, invoice] = ['credit_note', 'invoice'].map((type) =>
    invoices.find((document: { type: string }) => document.type === type),
  );
  assert.deepEqual(note.corrects, [{ invoice_id: invoice.id, number: invoice.number }]);
  assert.deepEqual([note.total_minor, note.tax_minor], [-119, -19]);
  const [{ due } = { due: null }] = await db.query<{ due: bigint }>(sql`
    select sum(case when credit like 'deferred:%' then amount_minor when debit like 'deferred:%' then -amount_minor else 0 end)::bigint
      as due from journal`);
  assert.equal(due, 0n, 'the month is over, and so is what was deferred of it');
  await sound();
});

test('a refunded part of a running period is not refunded again', async (t) => {
  const { clock, customer, done, buy, change, refund, undo, spent, sound } = await shop(t);
  const { order: bought, path } = await buy('s1');
  const order = await change(path, 's8');
  clock.advance(5 * DAY_MS);
  await refund(bought.id);
  await refund(order.id, BigInt(order.amount_minor) - 300n);
  // Only 3.00 is left to refund, less than half a month's refund would be.
  const preview = await customer.must({ method: 'GET', path: `${path}/delete-preview` });
  assert.equal(preview.refund_minor, 300);
  const quote = await customer.must({ method: 'GET', path: `${path}/plan-quote?plan=s1` });
  assert.equal(
    quote.quote?.total_minor ?? quote.total_minor ?? quote.price?.total_minor,
    -300,
    JSON.stringify(quote),
  );
  const down = await change(path, 's1');
  assert.equal(down.amount_minor, -300);
  await sound();
  // The upgrade costs only as much as the downgrade refunded.
  const up = await change(path, 's8');
  assert.equal(up.amount_minor, 300);
  await assert.rejects(refund(order.id, 301n), /at most 3\.00 EUR/);
  const last = await refund(up.id);
  assert.equal(last.amount_minor, -300n);
  await assert.rejects(refund(order.id), /Nothing is left/);
  await sound();
  // Once that refund is undone, the amount can be refunded again.
  await undo(last.id);
  await customer.must({ method: 'DELETE', path });
  await done();
  assert.equal(await spent(), 0n);
  await assert.rejects(refund(order.id), /Nothing is left/);
  await sound();
});

test('a refund counts the refund of a change whose clock was behind', async (t) => {
  const { clock, buy, change, refund, spent, sound } = await shop(t);
  clock.advance(DAY_MS);
  const { order, path } = await buy('s1');
  const up = await change(path, 's8');
  const now = clock.now.bind(clock);
  const late = t.mock.method(clock, 'now', () => new Date(now().getTime() - 600_000));
  const down = await change(path, 's1');
  late.mock.restore();
  assert.equal(down.amount_minor, -up.amount_minor);
  await refund(order.id);
  assert.equal(await spent(), 0n);
  await assert.rejects(refund(up.id), /Nothing is left/);
  await sound();
});

test('a free credit for a VM that is still being created does not keep its deposit', async (t) => {
  const { db, clock, services, customer, done, place, sound } = await shop(t);
  const { id, path, order } = await place('s1');
  const account = { id: customer.accountId, currency: services.catalog.currency };
  const credit = { type: 'credit' as const, amountMinor: 100n, vmId: id, reason: 'slow', actor: 'root' };
  await db.transaction((tx) => creditOrDebit({ tx, clock }, services.catalog, { ...credit, account }));
  await done();
  await sound();
  const preview = await customer.must({ method: 'GET', path: `${path}/delete-preview` });
  assert.equal(preview.refund_minor, order.amount_minor);
});

test('a deletion leaves the unrefunded rest to later refunds', async (t) => {
  const { clock, customer, done, buy, refund, undo, spent, sound } = await shop(t);
  const { order, path } = await buy('s8');
  clock.advance(10 * DAY_MS);
  await customer.must({ method: 'DELETE', path });
  await done();
  const used = await spent();
  assert.ok(used > 0n && used < BigInt(order.amount_minor));
  await assert.rejects(refund(order.id, used + 1n), /must be at most/);
  assert.equal((await undo(order.id)).amount_minor, -used, 'a void is all that is left');
  assert.equal(await spent(), 0n);
  await sound();
});

test('a void refunds the hours that a deposit has paid, even if the order charged less than they cost', async (t) => {
  const { clock, done, buy, change, undo, spent, sound } = await shop(t);
  const { path } = await buy('s2', 'eu-central', 'hourly');
  await done();
  clock.advance(21 * DAY_MS);
  const spentBefore = await spent();
  const order = await change(path, 's4');
  const hours = 5_29n;
  assert.ok(order.amount_minor > 0 && order.amount_minor < hours, `took ${order.amount_minor}`);
  assert.equal((await undo(order.id)).amount_minor, -hours);
  assert.equal(await spent(), spentBefore + BigInt(order.amount_minor) - hours);
  await sound();
});

test('each month is refunded separately, and a renewal starts over', async (t) => {
  const { clock, services, customer, done, buy, change, refund, spent, sound } = await shop(t);
  const { order, path } = await buy('s2');
  const price = BigInt(order.amount_minor);
  clock.advance(1 * DAY_MS);
  const up = await change(path, 's4');
  clock.set(new Date('2026-02-01T00:00:00Z'));
  await renewVms(services);
  await done();
  const before = await spent();
  assert.equal((await refund(order.id)).amount_minor, -price);
  assert.equal((await refund(up.id)).amount_minor, -BigInt(up.amount_minor));
  const paid = before - price - BigInt(up.amount_minor);
  assert.equal(await spent(), paid);
  // Undoing it does not affect the running month.
  const preview = await customer.must({ method: 'GET', path: `${path}/delete-preview` });
  assert.equal(BigInt(preview.refund_minor), paid);
  const renewal = (await customer.must({ method: 'GET', path: '/v1/billing/orders?kind=renew' }))[0];
  await refund(renewal.id);
  clock.set(new Date('2026-03-01T00:00:00Z'));
  await renewVms(services);
  clock.advance(14 * DAY_MS);
  const half = await customer.must({ method: 'GET', path: `${path}/delete-preview` });
  assert.ok(half.refund_minor > 0, 'nothing of this month has been refunded');
  await sound();
});

test('an edited correction is found', async (t) => {
  const { db, buy, refund } = await shop(t);
  const { order } = await buy('s1');
  const made = await refund(order.id, 100n);
  const edits = [
    sql`update orders set corrects_order_id = ${made.id} where id = ${made.id}`,
    sql`update orders set reason = 'another' where id = ${made.id}`,
    sql`update vms set refundable_minor = refundable_minor + 1`,
  ];
  for (const edit of edits) {
    await assert.rejects(
      db.transaction(async (tx) => {
        await tx.query(sql`set local session_replication_role = replica`);
        await tx.query(edit);
        throw new Error((await auditNow(tx)).map(({ law }) => law).join());
      }),
      (error: Error) => /were written|still be refunded/.test(error.message),
    );
  }
  await assert.rejects(db.query(sql`update orders set reason = 'x' where id = ${made.id}`), /never changes/);
});
