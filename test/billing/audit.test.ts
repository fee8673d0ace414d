import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, raw, type Sql, sql } from '../../server/db/database.ts';
import { audit } from '../../server/domain/billing/audit/audit.ts';
import { completeOrder, failOrder, placeOrder, settleNow } from '../../server/domain/billing/ledger.ts';
import { containedTax } from '../../server/domain/billing/money.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { freshDatabase } from '../support/database.ts';
import { fundedAccount, orderOf, storedVm, withLedger } from './support.ts';

/** Creates two accounts with every kind of entry: top-up, hold, release, capture, charge and refund. */
async function books(t: TestContext) {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-10T00:00:00Z');
  const accounts: string[] = [];
  for (let n = 0; n < 2; n++) {
    const accountId = await fundedAccount(db, clock, 100_00n);
    accounts.push(accountId);
    const vm = await storedVm(db, clock, accountId);
    const place = (...amounts: bigint[]) =>
      withLedger(db, clock, (ledger) => placeOrder(ledger, orderOf(clock, vm, ...amounts)));
    const bought = await place(399n);
    await withLedger(db, clock, (ledger) => completeOrder(ledger, accountId, bought.id, clock.now()));
    const failed = await place(700n);
    await withLedger(db, clock, (ledger) => failOrder(ledger, accountId, failed.id, clock.now()));
    await withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, vm, 300n)));
    await withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, vm, -100n)));
    await place(50n);
  }
  return { db, clock, accounts: accounts as [string, string] };
}

/** Runs statements like a superuser who disables triggers and foreign keys. */
function unguarded(db: Database, ...statements: Sql[]): Promise<void> {
  return db.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    for (const statement of statements) await tx.query(statement);
  });
}

/** Returns the names of the broken laws, each once. */
async function brokenLaws(db: Database, clock: ManualClock): Promise<string[]> {
  return [...new Set((await audit(db, clock)).findings.map(({ law }) => law))];
}

test('books that only the service wrote obey every law', async (t) => {
  const { db, clock } = await books(t);
  const report = await audit(db, clock);
  assert.deepEqual(report.findings, []);
  assert.equal(report.accounts, 2);
  assert.equal(report.truncated, false);
});

test('a VM that was sold again by a clock that is behind has the rate of that sale', async (t) => {
  const db = await freshDatabase(t);
  const clock = new ManualClock('2026-01-10T00:05:00Z');
  const accountId = await fundedAccount(db, clock, 100_00n);
  const vm = await storedVm(db, clock, accountId);
  const period = { from_at: vm.billing_period_start_at, to_at: vm.billing_period_end_at };
  const sell = (kind: 'create' | 'change_plan', at: string, tax_rate: string, proration: boolean) => {
    const order = { ...orderOf(clock, vm, 100n), kind, at: new Date(at) };
    const lines = order.charge.lines.map((line) => ({
      ...{
        ...line,
        ...period,
        unit_price: '3.99',
        tax_rate,
        proration,
        tax_minor: containedTax(100n, tax_rate),
      },
    }));
    return withLedger(db, clock, (ledger) =>
      settleNow(ledger, { ...order, charge: { ...order.charge, lines } }),
    );
  };
  await sell('create', '2026-01-10T00:05:00Z', '0.2', false);
  await sell('change_plan', '2026-01-10T00:02:00Z', '0.19', true);
  await db.query(sql`update vms set tax_rate = 0.19 where id = ${vm.id}`);
  assert.deepEqual(await brokenLaws(db, clock), []);
  await db.query(sql`update vms set tax_rate = 0.07 where id = ${vm.id}`);
  assert.deepEqual(await brokenLaws(db, clock), ['a VM records the tax rate of its last sale']);
  const shorter = sql`billing_period_end_at = billing_period_end_at - interval '1 day', tax_rate = 0.19`;
  await db.query(sql`update vms set ${shorter} where id = ${vm.id}`);
  assert.deepEqual(await brokenLaws(db, clock), ['a VM records its last paid period']);
  // A failed deletion has already ended the period.
  await db.query(sql`update vms set deletion_failed_at = created_at where id = ${vm.id}`);
  assert.deepEqual(await brokenLaws(db, clock), []);
});

test('an edited entry is found and named, even if every sum is still correct', async (t) => {
  const { db, clock, accounts } = await books(t);
  await unguarded(
    db,
    sql`update journal set reason = 'gift' where account_id = ${accounts[0]} and position = 1`,
  );
  const { findings } = await audit(db, clock);
  assert.deepEqual(findings, [
    {
      law: 'the journal is one unbroken chain',
      what: `${accounts[0]} entry 1 (gift, 10000) does not follow from the one before it`,
    },
  ]);
});

test('a deleted entry is found: first, middle and last', async (t) => {
  for (const [which, law] of [
    [sql`min(position)`, 'the journal is one unbroken chain'],
    [sql`min(position) + 1`, 'the journal is one unbroken chain'],
    [sql`max(position)`, 'the journal ends where its chain ends'],
  ] as const) {
    const { db, clock, accounts } = await books(t);
    await unguarded(
      db,
      sql`delete from journal where account_id = ${accounts[1]}
        and position = (select ${which} from journal where account_id = ${accounts[1]})`,
    );
    assert.ok((await brokenLaws(db, clock)).includes(law), law);
  }
});

test('an account without any of its entries is found, and entries without their account', async (t) => {
  const { db, clock, accounts } = await books(t);
  const [first, second] = accounts;
  await unguarded(db, sql`delete from journal where account_id = ${first}`);
  assert.ok((await brokenLaws(db, clock)).includes('the journal ends where its chain ends'));
  await unguarded(
    db,
    sql`delete from wallets where account_id = ${second}`,
    sql`delete from accounts where id = ${second}`,
  );
  const { findings } = await audit(db, clock);
  assert.ok(findings.some(({ what }) => what.startsWith(`${second} has 0 + 0 held, its journal says `)));
});

test('two swapped entries are found', async (t) => {
  const { db, clock, accounts } = await books(t);
  const move = (from: number, to: number) =>
    sql`update journal set position = ${to} where account_id = ${accounts[0]} and position = ${from}`;
  await unguarded(db, move(2, 1_000), move(3, 2), move(1_000, 3));
  assert.deepEqual(await brokenLaws(db, clock), ['the journal is one unbroken chain']);
});

test('deleted rows are found in every table of documents', async (t) => {
  for (const [table, law] of [
    ['orders', 'an entry belongs to an order, payment, promotional credit or document of its account'],
    ['order_lines', "an order's lines add up to its amount"],
    ['payments', 'an entry belongs to an order, payment, promotional credit or document of its account'],
    [
      'invoices',
      'a completed order that sells something is on a document of its account, and no other order is on one',
    ],
  ] as const) {
    const { db, clock } = await books(t);
    await unguarded(db, sql`delete from ${raw(table)} where ctid = (select ctid from ${raw(table)} limit 1)`);
    assert.ok((await brokenLaws(db, clock)).includes(law), law);
  }
});

test('text and times of a row are sealed, not only its amounts', async (t) => {
  const { db, clock } = await books(t);
  await unguarded(
    db,
    sql`update order_lines set description = 'A better line' where position = 1`,
    sql`update payments set created_at = created_at + interval '1 second'`,
    sql`update orders set kind = 'renew' where status = 'failed'`,
    sql`update invoices set period_start_at = period_start_at - interval '1 day'`,
  );
  assert.deepEqual(await brokenLaws(db, clock), [
    'orders are as they were written',
    'lines are as they were written',
    'payments are as they were written',
    'invoices are as they were written',
  ]);
});

test('an audit neither waits nor blocks, and sees each account at one moment', async (t) => {
  const { db, clock, accounts } = await books(t);
  const before = (await audit(db, clock)).findings;
  const busy = Array.from({ length: 20 }, async (_, n) => {
    const accountId = accounts[n % 2]!;
    const vm = await storedVm(db, clock, accountId, { hostname: `web-${n}` });
    await withLedger(db, clock, (ledger) => settleNow(ledger, orderOf(clock, vm, 10n)));
  });
  const reports = Array.from({ length: 5 }, () => audit(db, clock));
  const findings = (await Promise.all(reports)).flatMap((report) => report.findings);
  await Promise.all(busy);
  assert.deepEqual([before, findings], [[], []]);
});
