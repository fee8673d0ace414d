import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { completeOrder, failOrder, placeOrder, settleNow } from '../../server/domain/billing/ledger.ts';
import type { Datev } from '../../server/domain/catalog/datev-schema.ts';
import { orderOf, storedVm, withLedger } from '../billing/support.ts';
import { startOperator, UNKNOWN_ACCOUNT } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

const DATEV: Datev = {
  consultant: 29098,
  client: 55003,
  fiscal_year_month: 7,
  account_length: 4,
  chart: '03',
  accounts: {
    wallet: '1710',
    hold: '1710',
    clearing: '1360',
    'clearing:bank_transfer': '1200',
    revenue: '8200',
    deferred: '0990',
    refunds: '8700',
    tax: '1770',
    'tax:0.2': '1776',
  },
};

/**
 * An operator whose only customer paid 100.00, bought for 3.99, had 7.00 held and released, and got a refund of 1.00.
 */
async function shop(t: TestContext) {
  const operator = await startOperator(t);
  const { db, clock, dataDir, newAccount, post } = operator;
  const id = await newAccount('Müller & Söhne; "Ltd" €');
  await post(`/accounts/${id}/credits`, {
    amount: '100.00',
    method: 'bank_transfer',
    reference: '=transfer 1',
  });
  const vm = await storedVm(db, clock, id);
  const order = (amount: bigint) => orderOf(clock, vm, amount);
  clock.advance(86_400_000);
  const bought = await withLedger(db, clock, (ledger) => placeOrder(ledger, order(399n)));
  await withLedger(db, clock, (ledger) => completeOrder(ledger, id, bought.id, clock.now()));
  const failed = await withLedger(db, clock, (ledger) => placeOrder(ledger, order(700n)));
  await withLedger(db, clock, (ledger) => failOrder(ledger, id, failed.id, clock.now()));
  clock.advance(86_400_000);
  await withLedger(db, clock, (ledger) => settleNow(ledger, order(-100n)));
  return { ...operator, id, ctl: (...args: string[]) => vaubanctl(dataDir, ...args) };
}

test('a statement is the journal with the wallet after each entry', async (t) => {
  const { id, ctl } = await shop(t);
  const whole = await ctl('account', 'statement', id, '--json');
  assert.equal(whole.code, 0, whole.stderr);
  const entries: Record<string, unknown>[] = JSON.parse(whole.stdout);
  assert.deepEqual(
    entries.map(({ entry, available_minor, held_minor }) => [entry, available_minor, held_minor]),
    [
      [1, 10000, 0],
      [2, 9601, 399],
      [3, 9601, 67],
      [4, 9601, 0],
      [5, 8901, 700],
      [6, 9601, 0],
      [7, 9684, 0],
      [8, 9701, 0],
    ],
  );
  const table = await ctl('account', 'statement', id, '--from', '2026-01-03');
  assert.match(table.stdout, /^ENTRY +AT +REASON +DEBIT +CREDIT +AMOUNT +AVAILABLE +PROMO +HELD +FOR\n +7 /);
  assert.match(
    table.stdout,
    / 97\.01 EUR +0\.00 EUR +0\.00 EUR +ord_/,
    'a part has the balance of the whole',
  );
  const csv = await ctl('account', 'statement', id, '--to', '2026-01-02', '--format', 'csv');
  const [head, first, ...rest] = csv.stdout.trimEnd().split('\n');
  assert.equal(head, 'entry,at,reason,debit,credit,amount,available,promo,held,for,currency');
  assert.match(
    first!,
    /^1,2026-01-01T00:00:00Z,top_up,clearing:bank_transfer,wallet,100\.00,100\.00,0\.00,0\.00,pay_\w+,EUR$/,
  );
  assert.deepEqual(rest, []);
  const unknown = await ctl('account', 'statement', UNKNOWN_ACCOUNT);
  assert.deepEqual([unknown.code, unknown.stdout], [1, '']);
  assert.match(unknown.stderr, /does not exist/);
});

test('the bookings of a month are CSV that a spreadsheet cannot be tricked with', async (t) => {
  const { id, ctl, dataDir } = await shop(t);
  const output = join(dataDir, 'january.csv');
  const done = await ctl('export', 'bookings', '--month', '2026-01', '--format', 'csv', '--output', output);
  assert.deepEqual([done.code, done.stdout], [0, ''], done.stderr);
  const lines = (await readFile(output, 'utf8')).split('\r\n');
  assert.equal(lines.length, 10, 'a heading, eight entries, the end of the last line');
  assert.equal(
    lines[0],
    'date,entry,debit,credit,amount,currency,reason,document,account,name,order,payment,reference,promo_credit,tax_category,country,vat_id',
  );
  assert.match(
    lines[1]!,
    new RegExp(
      `^2026-01-01,\\d+,clearing:bank_transfer,wallet,100\\.00,EUR,top_up,,${id},"Müller & Söhne; ""Ltd"" €",,pay_\\w+,'=transfer 1,,,,$`,
    ),
  );
  const printed = await ctl('export', 'bookings', '--month', '2026-01', '--format', 'csv');
  assert.equal(printed.stdout, lines.join('\r\n'));
  assert.ok(!(await readdir(dataDir)).includes('january.csv.unfinished'));
});

test('the DATEV format: header, headings, comma, Windows-1252, and no entries within one of its accounts', async (t) => {
  const { ctl, dataDir, catalog } = await shop(t);
  catalog.datev = DATEV;
  const output = join(dataDir, 'EXTF_2026-01.csv');
  const done = await ctl('export', 'bookings', '--month', '2026-01', '--format', 'datev', '--output', output);
  assert.equal(done.code, 0, done.stderr);
  const bytes = await readFile(output);
  const [header, headings, ...records] = new TextDecoder('windows-1252').decode(bytes).split('\r\n');
  assert.equal(
    header,
    '"EXTF";700;21;"Buchungsstapel";13;20260103000000000;;"VB";"Vauban";"";29098;55003;20250701;4;20260101;20260131;' +
      '"Vauban 2026-01";"";1;0;0;"EUR";;"";;;"03";;;"";""',
  );
  assert.equal(header!.split(';').length, 31);
  assert.equal(headings!.split(';').length, 125);
  assert.equal(records.pop(), '', 'every line ends');
  const fields = records.map((record) => record.split(/;(?=(?:[^"]*"[^"]*")*[^"]*$)/));
  assert.deepEqual([...new Set(fields.map(({ length }) => length))], [125]);
  assert.deepEqual(
    fields.map((record) => [0, 1, 2, 6, 7, 9].map((column) => record[column])),
    [
      ['100,00', '"S"', '"EUR"', '1200', '1710', '0101'],
      ['3,32', '"S"', '"EUR"', '1710', '8200', '0201'],
      ['0,67', '"S"', '"EUR"', '1710', '1776', '0201'],
      ['0,83', '"S"', '"EUR"', '8700', '1710', '0301'],
      ['0,17', '"S"', '"EUR"', '1776', '1710', '0301'],
    ],
  );
  assert.match(fields[0]![10]!, /^"pay-[0-9a-z]{26}"$/, 'without the signs that DATEV refuses');
  assert.equal(fields[0]![13], '"top_up =transfer 1 Müller & Söhne; ""Ltd"" €"');
  assert.ok(bytes.includes(Buffer.from([0x80])), 'the euro sign is one byte');
});

test('an impossible export is refused with its reason, and nothing is written', async (t) => {
  const { ctl, dataDir, catalog } = await shop(t);
  const output = join(dataDir, 'file.csv');
  const run = (month: string, format: string, ...more: string[]) =>
    ctl('export', 'bookings', '--month', month, '--format', format, '--output', output, ...more);
  const refusals: [RegExp, () => ReturnType<typeof run>][] = [
    [/has no DATEV settings/, () => run('2026-01', 'datev')],
    [/^vaubanctl: month: a year and a month/, () => run('January', 'csv')],
    [/^vaubanctl: month: must not be in the future/, () => run('2026-02', 'csv')],
    [/^vaubanctl: part: does not apply to CSV/, () => run('2026-01', 'csv', '--part', '1')],
    [/choose from csv, datev|Allowed choices are csv, datev/, () => run('2026-01', 'pdf')],
  ];
  for (const [message, refused] of refusals) {
    const { code, stderr } = await refused();
    assert.match(stderr, message);
    assert.equal(code, 1);
  }
  const { tax: _, 'tax:0.2': __, ...accounts } = DATEV.accounts;
  catalog.datev = { ...DATEV, accounts };
  assert.match((await run('2026-01', 'datev')).stderr, /has no account for tax:0\.2\./);
  catalog.datev = DATEV;
  assert.match((await run('2026-01', 'datev', '--part', '2')).stderr, /^vaubanctl: part: must be 1 to 1/);
  assert.ok(!(await readdir(dataDir)).some((name) => name.startsWith('file.csv')));
});
