import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Database, sql } from '../../server/db/database.ts';
import { MIGRATIONS, migrateUp } from '../../server/db/migrate.ts';
import { books } from '../../server/db/migrations/0011-books.ts';
import { listInvoices } from '../../server/db/queries/money/invoices.ts';
import { recognizeRevenue } from '../../server/db/queries/money/recognition.ts';
import { freshDatabase } from '../support/database.ts';
import { ledgerProblems } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';

const ACCOUNT = 'acc_00000000000000000000abcdef';
const everything = { limit: 100, afterId: null };

/** Returns an order as the previous version booked it, with its lines; a `held` one is not settled yet. */
function order(id: string, at: string, invoice: string | null, kind: string, ...amounts: number[]): string {
  const total = amounts.reduce((sum, amount) => sum + amount, 0);
  const [debit, credit] = total > 0 ? ['hold', 'revenue'] : ['revenue', 'wallet'];
  const settled = invoice ? `'${at}'` : 'null';
  const lines = amounts.map(
    (
      amount,
      index,
    ) => `insert into order_lines values ('${id}', ${index + 1}, 'Shared S1', 1, 'month', '3.99', ${amount},
      '${at}', '2026-03-01T00:00:00Z', ${amounts.length > 1});`,
  );
  const move = (from: string, to: string, reason: string) => `
    insert into journal (account_id, debit, credit, amount_minor, currency, reason, order_id, created_at)
    values ('${ACCOUNT}', '${from}', '${to}', ${Math.abs(total)}, 'EUR', '${reason}', '${id}', '${at}');`;
  return `
    insert into orders values ('${id}', '${ACCOUNT}', 'vm_1', '${kind}', '${invoice ? 'completed' : 'pending'}', ${total}, 7,
      'EUR', ${invoice ? `'${invoice}'` : 'null'}, '${at}', ${settled});
    ${lines.join('\n')}
    ${total > 0 ? move('wallet', 'hold', 'hold') : ''}
    ${invoice ? move(debit, credit, total > 0 ? 'capture' : 'refund') : ''}`;
}

/** Books of the previous version: an issued invoice, a draft with a refund in it, and a pending order. */
const BEFORE = `
  insert into accounts (id, name, currency, created_at) values ('${ACCOUNT}', 'Old', 'EUR', now());
  insert into payments values ('pay_1', '${ACCOUNT}', 'bank_transfer', 'succeeded', 10000, 'EUR', 'r1', now(), now()),
    ('pay_2', '${ACCOUNT}', 'chargeback', 'succeeded', -1000, 'EUR', 'r2', now(), now());
  insert into journal (account_id, debit, credit, amount_minor, currency, reason, payment_id, created_at)
  values ('${ACCOUNT}', 'cash', 'wallet', 10000, 'EUR', 'top_up', 'pay_1', now()),
    ('${ACCOUNT}', 'wallet', 'cash', 1000, 'EUR', 'payout', 'pay_2', now());
  insert into vms (id, account_id, hostname, status, template, region, zone, vcpu, ram_mb, disk_gb, mac,
    price_monthly_minor, currency, auto_renew, billing_anchor_day, billing_period_start_at, billing_period_end_at,
    created_at, updated_at)
  values ('vm_1', '${ACCOUNT}', 'web', 'running', 'debian-12', 'eu', 'eu-a', 1, 1024, 20, 'mac', 399, 'EUR', true, 1,
    '2026-02-01', '2026-03-01', now(), now());
  insert into invoices values
    ('inv_1', '${ACCOUNT}', 1, 'paid', '2026-01-01Z', '2026-02-01Z', 'EUR', 0.20, '2026-02-01Z', '2026-02-01Z'),
    ('inv_2', '${ACCOUNT}', 2, 'draft', '2026-02-01Z', '2026-03-01Z', 'EUR', 0.20, null, null);
  ${order('ord_1', '2026-01-05T00:00:00Z', 'inv_1', 'create', 399)}
  ${order('ord_2', '2026-01-06T00:00:00Z', 'inv_1', 'renew', 399)}
  ${order('ord_3', '2026-02-02T00:00:00Z', 'inv_2', 'change_plan', -199, 350)}
  ${order('ord_4', '2026-02-03T00:00:00Z', 'inv_2', 'change_plan', -350, 150)}
  ${order('ord_5', '2026-02-04T00:00:00Z', null, 'change_plan', -100, 300)}
  insert into wallets values ('${ACCOUNT}', 'EUR', 10000 - 1000 - 399 - 399 - 151 + 200 - 200, 200, now());`;

/** A database of the previous version. */
async function oldBooks(t: TestContext): Promise<Database> {
  const db = await freshDatabase(t, { migrated: false });
  const older = MIGRATIONS.slice(0, MIGRATIONS.indexOf(books));
  await db.script('create table migrations (name text primary key, applied_at timestamptz not null)');
  for (const { name, up } of older)
    await db.script(`begin;\n${up};\ninsert into migrations values ('${name}', now());\ncommit;`, {
      ddl: true,
    });
  await db.script(BEFORE);
  return db;
}

const journal = (db: Database) =>
  db.query<{ row: string }>(sql`
    select concat_ws(' ', id, account_id, debit, credit, amount_minor, reason, order_id, payment_id, created_at) as row
    from journal order by id`);

/** Returns the balances of an account, credits less debits. */
async function balances(db: Database): Promise<Record<string, number>> {
  const rows = await db.query<{ code: string; amount: number }>(sql`
    select code, sum(amount)::int as amount
    from journal, lateral (values (credit, amount_minor), (debit, -amount_minor)) as leg (code, amount)
    group by code order by code`);
  return Object.fromEntries(rows.map(({ code, amount }) => [code, amount]));
}

test('books of the last version are migrated, and issued documents stay unchanged', async (t) => {
  const db = await oldBooks(t);
  const before = await journal(db);
  assert.deepEqual(
    await migrateUp(db),
    MIGRATIONS.slice(MIGRATIONS.indexOf(books)).map(({ name }) => name),
  );
  assert.deepEqual((await journal(db)).slice(0, before.length), before, 'no entry has changed');
  assert.deepEqual(await balances(db), {
    cash: 0,
    'clearing:bank_transfer': -10_000,
    'clearing:chargeback': 1000,
    'deferred:0.2': 624,
    hold: 200,
    revenue: 0,
    'tax:0.2': 125,
    wallet: 8051,
  });

  const documents = (await listInvoices(db, ACCOUNT, {}, everything)).map((invoice) => [
    invoice.type,
    invoice.status,
    invoice.number,
    invoice.total_minor,
    invoice.tax_minor,
    invoice.corrects,
  ]);
  // 798 at 20 % contains 133 of tax: the invoice keeps the amounts as displayed, although the lines separately add up
  // to 134.
  const issued = ['invoice', 'paid', 'ABCDEF-0001', 798n, 133n, []];
  const sold = ['invoice', 'draft', null, 151n, 25n, []];
  const note = [
    'credit_note',
    'draft',
    null,
    -200n,
    -33n,
    [
      { invoice_id: 'inv_1', number: 'ABCDEF-0001' },
      { invoice_id: 'inv_2', number: null },
    ],
  ];
  assert.deepEqual(new Set(documents), new Set([issued, sold, note]));
  const odd = ['the tax of a line is computed at its rate: ord_2 line 1 has 66 tax in 399 at 0.20'];
  assert.deepEqual(await ledgerProblems(db), odd);
  assert.deepEqual(await db.query(sql`select tax_rate, rounding_remainder from vms`), [
    { tax_rate: '0.20', rounding_remainder: 0n },
  ]);

  await recognizeRevenue(db, new Date('2026-03-02T00:00:00Z'));
  assert.equal(await issueInvoices(db, new Date('2026-03-02T00:00:00Z')), 2);
  const numbers = await db.query<{ number: string }>(sql`select number from invoices order by number`);
  assert.deepEqual(
    numbers.map(({ number }) => number),
    ['ABCDEF-0001', 'CN-000001', 'INV-000001'],
  );
  assert.deepEqual([(await balances(db))['deferred:0.2'], (await balances(db))['revenue:0.2']], [0, 624]);
  assert.deepEqual(await ledgerProblems(db), odd);
});

test("the down migration keeps customers' data, and up again works", async (t) => {
  const db = await oldBooks(t);
  const held = async () => {
    const { wallet, hold } = await balances(db);
    return { wallet, hold };
  };
  const before = await held();
  await migrateUp(db);
  await recognizeRevenue(db, new Date('2026-03-02T00:00:00Z'));
  for (const { name, down } of MIGRATIONS.slice(MIGRATIONS.indexOf(books)).toReversed())
    await db.script(`begin;\n${down};\ndelete from migrations where name = '${name}';\ncommit;`, {
      ddl: true,
    });
  assert.deepEqual(await held(), before);
  assert.equal((await balances(db)).revenue, 399 + 399 + 151 - 200);
  assert.deepEqual(await db.query(sql`select number, status from invoices order by number`), [
    { number: 1, status: 'paid' },
    { number: 2, status: 'draft' },
  ]);
  await migrateUp(db);
  assert.deepEqual(await held(), before);
});
