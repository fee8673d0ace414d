import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { settleNow } from '../../server/domain/billing/ledger.ts';
import { chargeOf, storedVm, withLedger } from '../billing/support.ts';
import { SELLER } from '../documents/support/samples.ts';
import { DUTCH, profile, sell, termsFor } from '../documents/support/seller.ts';
import { issueInvoices } from '../support/issue.ts';
import { startOperator, temporaryDirectory } from './support.ts';
import { vaubanctl } from './vaubanctl.ts';

/** A German who buys and gets refunds, a Dutch business, and a customer without details; a draft of February. */
async function shop(t: TestContext) {
  const operator = await startOperator(t);
  const { db, clock, dataDir, newAccount, post } = operator;
  const customers = [profile({ name: 'Müller' }), DUTCH, undefined];
  for (const buyer of customers) {
    const id = await newAccount(buyer?.name ?? 'Nobody');
    if (buyer) {
      const { postcode, vat_id, exempt_reason, ...rest } = buyer;
      await post(`/accounts/${id}/billing-profile`, { ...rest, ...(vat_id && { vat_id }) });
    }
    await post(`/accounts/${id}/credits`, { amount_minor: 10_000 });
    clock.advance(1_000);
    const vm = await storedVm(db, clock, id);
    await sell(db, clock, vm, [999n, 999n, 999n], termsFor(buyer));
    if (buyer?.country === 'DE') await sell(db, clock, vm, [-500n], termsFor(buyer));
  }
  await issueInvoices(db, new Date('2026-02-01T00:10:00Z'), 10, SELLER);
  const id = await newAccount('Later');
  await post(`/accounts/${id}/credits`, { amount_minor: 1_000 });
  clock.advance(31 * 86_400_000);
  const later = {
    accountId: id,
    vmId: null,
    kind: 'create' as const,
    charge: chargeOf(399n),
    at: clock.now(),
  };
  await withLedger(db, clock, (ledger) => settleNow(ledger, later));
  return { ...operator, ctl: (...args: string[]) => vaubanctl(dataDir, ...args) };
}

test('all documents of a month are listed, and are one archive', async (t) => {
  const { ctl } = await shop(t);
  const listed = await ctl('document', 'list', '--month', '2026-01');
  assert.equal(listed.code, 0, listed.stderr);
  assert.match(listed.stdout, /^NUMBER +TYPE +STATUS +ISSUED +BUYER +COUNTRY +VAT ID +TAX +TOTAL +ACCOUNT\n/);
  assert.match(
    listed.stdout,
    /^INV-00000\d +invoice +paid +2026-02-01 +Dutch B\.V\. +NL +NL004495445B01 +0\.00 EUR +29\.97 EUR/m,
  );
  assert.equal(listed.stdout.trimEnd().split('\n').length, 5);
  const february = JSON.parse((await ctl('document', 'list', '--month', '2026-02', '--json')).stdout);
  assert.deepEqual(
    february.map(({ status }: { status: string }) => status),
    ['draft'],
  );

  const directory = await temporaryDirectory(t);
  const file = join(directory, 'all.tar.gz');
  const written = await ctl('document', 'download', '--month', '2026-01', '--output', file);
  assert.deepEqual([written.code, written.stdout.trim()], [0, file], written.stderr);
  execFileSync('tar', ['-xf', file, '-C', directory]);
  const names = (await readdir(join(directory, '2026-01'))).toSorted();
  assert.deepEqual(names, [
    ...[
      'CN-000001.pdf',
      'CN-000001.xml',
      'INV-000001.pdf',
      'INV-000001.xml',
      'INV-000002.pdf',
      'INV-000002.xml',
    ],
    // There is no e-invoice without an address.
    ...['INV-000003.pdf', 'INV-000003.xml.txt'],
  ]);
  const read = (name: string) => readFile(join(directory, '2026-01', name));
  assert.match((await read('INV-000001.pdf')).toString('latin1'), /^%PDF-1\.7/);
  assert.match((await read('CN-000001.xml')).toString(), /CrossIndustryInvoice/);
  assert.match((await read('INV-000003.xml.txt')).toString(), /has no address of the buyer/);
  const none = join(directory, 'none.tar.gz');
  assert.equal((await ctl('document', 'download', '--month', '2026-02', '--output', none)).code, 0);
  assert.equal(execFileSync('tar', ['-tf', none]).toString(), '');
  assert.equal((await ctl('document', 'download', '--month', '2026-13', '--output', none)).code, 1);
});

test('the sales of a month are one CSV, and both exports have country, category and VAT id', async (t) => {
  const { ctl, catalog } = await shop(t);
  const csv = await ctl('export', 'sales', '--month', '2026-01');
  assert.equal(csv.code, 0, csv.stderr);
  const [head, ...lines] = csv.stdout.trimEnd().split('\r\n');
  assert.equal(
    head,
    'month,document,type,status,issued,account,name,country,vat_id,tax_category,tax_rate,net,tax,gross,currency,document_id',
  );
  assert.deepEqual(
    lines
      .map((line) =>
        line
          .split(',')
          .filter((_, index) => ![0, 3, 4, 5, 14, 15].includes(index))
          .join(','),
      )
      .toSorted(),
    [
      'CN-000001,credit_note,Müller,DE,,standard,0.19,-4.20,-0.80,-5.00',
      'INV-000001,invoice,Müller,DE,,standard,0.19,25.18,4.79,29.97',
      `INV-000002,invoice,Dutch B.V.,NL,${DUTCH.vat_id},reverse_charge,0,29.97,0.00,29.97`,
      'INV-000003,invoice,Nobody,,,standard,0.19,25.18,4.79,29.97',
    ],
  );
  const draft = await ctl('export', 'sales', '--month', '2026-02');
  assert.match(draft.stdout, /\r\n2026-02,,invoice,draft,,acc_\w+,Later,,,standard,/);
  const future = await ctl('export', 'sales', '--month', '2027-02');
  assert.match(future.stderr, /must not be in the future/);

  const journal = await ctl('export', 'bookings', '--month', '2026-01', '--format', 'csv');
  assert.match(journal.stdout, new RegExp(`,wallet,deferred:0,.*,reverse_charge,NL,${DUTCH.vat_id}\r\n`));
  assert.match(journal.stdout, /,wallet,tax:0\.19,.*,standard,DE,\r\n/);
  assert.match(journal.stdout, /,clearing:manual,wallet,.*,,,\r\n/);

  catalog.datev = {
    ...{ consultant: 29098, client: 55003, fiscal_year_month: 1, account_length: 4 },
    accounts: {
      wallet: '1710',
      clearing: '1360',
      deferred: '0990',
      revenue: '8200',
      refunds: '8700',
      tax: '1776',
    },
  };
  const datev = await ctl('export', 'bookings', '--month', '2026-01', '--format', 'datev');
  assert.equal(datev.code, 0, datev.stderr);
  const [, headings, ...records] = datev.stdout.split('\r\n').map((line) => line.split(';'));
  const cell = (record: string[], name: string) => record[headings!.indexOf(name)];
  const dutch = records.find(
    (record) => cell(record, 'EU-Land u. UStID (Bestimmung)') === `"${DUTCH.vat_id}"`,
  )!;
  const facts = [1, 2, 3].flatMap((n) => [
    cell(dutch, `Zusatzinformation - Art ${n}`),
    cell(dutch, `Zusatzinformation- Inhalt ${n}`),
  ]);
  assert.deepEqual(facts, [
    '"Land"',
    '"NL"',
    '"Steuerkategorie"',
    '"Reverse Charge"',
    '"USt-IdNr."',
    `"${DUTCH.vat_id}"`,
  ]);
});
