// Undoing migrations on books that contain rows of the new kind.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, sql } from '../../server/db/database.ts';
import { MIGRATIONS, type Migration, migrateUp } from '../../server/db/migrate.ts';
import { vmDebts } from '../../server/db/migrations/0051-vm-debts.ts';
import { documentTaxes } from '../../server/db/migrations/0052-document-taxes.ts';
import { slowMoney } from '../../server/db/migrations/0059-slow-money.ts';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import { SELLER } from '../documents/support/samples.ts';
import { profile, sell, setProfile, termsFor } from '../documents/support/seller.ts';
import { buyVm } from '../jobs/support/landlord.ts';
import { indebtedShop } from '../payments/support/indebted-shop.ts';
import type { Thing } from '../payments/support/stripe.ts';
import { freshDatabase } from '../support/database.ts';
import { issueInvoices } from '../support/issue.ts';
import { open, send } from '../timers/usage-support.ts';

/** Undoes a migration and all later ones, like an operator who returns to an older release. */
async function back(db: Database, to: Migration): Promise<void> {
  for (const { name, down } of MIGRATIONS.slice(MIGRATIONS.indexOf(to)).toReversed())
    await db.script(`begin; delete from migrations where name = '${name}'; ${down}; commit;`, { ddl: true });
}

/** Returns debits less credits by ledger account, without accounts that are zero. */
async function balances(db: Database): Promise<Record<string, bigint>> {
  const rows = await db.query<{ account: string; amount: bigint }>(sql`
    select account, sum(amount)::bigint as amount from (
      select debit as account, amount_minor as amount from journal union all select credit, -amount_minor from journal) moved
    group by account having sum(amount) <> 0 order by account`);
  return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]));
}

test('the down migration of 0051 drops debts of deleted VMs, and nothing else', async (t) => {
  const { fixture, customer } = await open(t, 749n);
  const { db } = fixture;
  const id = await buyVm(fixture, customer);
  fixture.installation.services.clock.set(new Date('2026-01-16T12:00:00Z'));
  await send(fixture, id, '2026-01-16', 1000);
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await fixture.finish();
  const wallet = () => lookUpWallet(db, customer.accountId);
  assert.equal((await wallet()).claimed_minor, 101n);
  const before = await balances(db);
  assert.equal(before.receivable, 101n);
  await back(db, vmDebts);
  assert.deepEqual(await balances(db), before, 'what was booked stays booked');
  assert.deepEqual(
    await db.query(sql`select claimed_minor from wallets where account_id = ${customer.accountId}`),
    [{ claimed_minor: 0n }],
  );
  const lend = sql`
    insert into journal (account_id, debit, credit, amount_minor, currency, reason, created_at)
    values (${customer.accountId}, 'receivable', 'wallet', 1, 'EUR', 'debt', now())`;
  await assert.rejects(db.query(lend), /journal_accounts/, 'the older release knows no such account');
  await migrateUp(db);
  const { available_minor, claimed_minor } = await wallet();
  assert.deepEqual([available_minor, claimed_minor], [0n, 0n]);
  // The audit reports the debt that the operator cancelled by going back.
  assert.equal((await auditNow(db)).length, 1);
});

test('after the down migration of 0052 documents are the sums of their lines again, and the chain is whole', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-20T00:00:00Z');
  const accountId = await fundedAccount(db, clock, 10_000_000n);
  const buyer = profile();
  await setProfile(db, clock, accountId, buyer);
  const vm = await storedVm(db, clock, accountId);
  const { invoice_id } = await sell(db, clock, vm, Array(172).fill(999n), termsFor(buyer));
  await issueInvoices(db, new Date('2026-02-01T00:10:00Z'), 10, SELLER);
  const tax = async () =>
    (await db.query<{ tax_minor: bigint }>(sql`select tax_minor from invoices where id = ${invoice_id}`))[0]!
      .tax_minor;
  assert.equal(await tax(), 274_35n);
  assert.equal((await balances(db))['tax:0.19'], -274_35n);
  await back(db, documentTaxes);
  assert.equal(await tax(), 172n * 1_60n);
  const { 'tax:0.19': booked } = await balances(db);
  assert.equal(booked, -172n * 1_60n, 'its difference was never booked');
  const positions = await db.query<{ position: bigint }>(
    sql`select position from journal where account_id = ${accountId} order by position`,
  );
  assert.deepEqual(
    positions.map(({ position }) => position),
    positions.map((_, index) => BigInt(index + 1)),
  );
  await migrateUp(db);
  assert.deepEqual(await auditNow(db), [], 'a document of before keeps the sums of its lines');
});

test('after the down migration of 0059 slow payments wait two weeks, and VMs suspended for a debt are off', async (t) => {
  const shop = await indebtedShop(t, 24);
  const { db, stripe } = shop;
  const { topUp } = await shop.start(shop.wish('stripe', 7_00n));
  const [{ data }] = stripe.pay(shop.session(topUp).id) as [Thing];
  await shop.deliver(stripe.event('payment_intent.processing', data.object));
  await shop.deliver(shop.dispute({ seconds: 60, status: 'needs_response', amount: 50_00 }));
  await shop.round();
  await shop.comes('2026-01-10T00:00:00Z');
  assert.equal(await shop.state(), 'suspended');
  await back(db, slowMoney);
  const [row] = await db.query<{ status: string; days: number }>(sql`
    select status, extract(day from expires_at - created_at)::int as days from top_ups where id = ${topUp.id}`);
  assert.deepEqual(row, { status: 'pending', days: 14 });
  assert.deepEqual(await db.query(sql`select status, suspended_at from vms`), [
    { status: 'stopped', suspended_at: null },
  ]);
  await migrateUp(db);
  await shop.sound();
});
