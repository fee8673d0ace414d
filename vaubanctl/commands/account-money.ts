import { Option } from 'commander';
import type { StatementEntry } from '../../shared/api/operator.ts';
import { safeJson } from '../../shared/safe-text.ts';
import { type Add, plain } from '../command.ts';
import { LARGE_AMOUNT, largeAmount } from '../confirm.ts';
import { contextOf } from '../context.ts';
import type { Answer } from '../operator-client.ts';
import { ACCOUNT, AMOUNT, KEY, parseDay } from '../option-values.ts';
import { instant, money, print, printFields, printTable } from '../output.ts';

const REFERENCE = ['--reference <text>', 'unique reference of the payment; refused if used again'] as const;

export const credit = plain('credit', 'creditAccount', {
  about: "book a received payment to an account's wallet",
  args: { id: ACCOUNT, amount: AMOUNT },
  options: {
    reference: REFERENCE,
    method: ['--method <word>', 'payment method, such as bank_transfer (default: manual)'],
    key: KEY,
  },
  question: ({ amount, id }) => largeAmount('Credit', amount!, id),
  yes: LARGE_AMOUNT,
  help: `Examples:
  $ vaubanctl account credit acc_… 50.00 --method bank_transfer --reference "transfer 4711"`,
  print: printPayment,
});

export const debit = plain('debit', 'debitAccount', {
  about: "book money that left an account's wallet, such as a recalled payment",
  args: { id: ACCOUNT, amount: AMOUNT },
  options: {
    reference: REFERENCE,
    method: ['--method <word>', 'payment method, such as chargeback (default: manual)'],
    key: KEY,
  },
  question: ({ amount, id }) => largeAmount('Debit', amount!, id),
  yes: LARGE_AMOUNT,
  help: `Refused if the wallet does not have this amount available.

Examples:
  $ vaubanctl account debit acc_… 50.00 --method chargeback --reference "recall of transfer 4711"`,
  print: printPayment,
});

/** Prints a booked payment with the resulting balance. */
function printPayment(payment: Answer<'creditAccount'>): void {
  printFields({
    payment: payment.id,
    amount: money(payment.amount_minor, payment.currency),
    method: payment.method,
    reference: payment.reference,
    available: money(payment.wallet.available_minor, payment.currency),
  });
}

const COLUMNS = [
  ...['ENTRY>', 'AT', 'REASON', 'DEBIT', 'CREDIT', 'AMOUNT>', 'AVAILABLE>', 'PROMO>', 'HELD>', 'FOR'],
] as const;
/** Entries per table, so that long statements are printed as they arrive. */
const TABLE_ROWS = 500;

export const statement: Add = (parent) => {
  parent
    .command('statement')
    .description("show an account's journal with the running balance, oldest first")
    .argument(...ACCOUNT)
    .option('--from <day>', 'from then on, such as 2026-01-01 or an instant', parseDay)
    .option('--to <day>', 'end (exclusive)', parseDay)
    .addOption(
      new Option('--format <format>', 'for people or for spreadsheets')
        .choices(['table', 'csv'])
        .default('table'),
    )
    .action(async (id: string, { format, ...span }: StatementOptions, command) => {
      const { client, json } = contextOf(command);
      const entries = readEntries(client.download('getStatement', { id, ...span }));
      if (json) await printJsonArray(entries);
      else if (format === 'csv') await printCsv(entries);
      else await printTables(entries);
    });
};

interface StatementOptions {
  from?: string;
  to?: string;
  format: 'table' | 'csv';
}

async function* readEntries(content: AsyncIterable<Buffer>): AsyncGenerator<StatementEntry> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of content) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop()!;
    for (const line of lines) yield JSON.parse(line);
  }
}

function cells(row: StatementEntry, amount: (minor: number) => string): string[] {
  return [
    String(row.entry),
    instant(row.at),
    row.reason,
    row.debit,
    row.credit,
    amount(row.amount_minor),
    amount(row.available_minor),
    amount(row.promo_minor),
    amount(row.held_minor),
    row.order_id ?? row.payment_id ?? row.promo_credit_id ?? '-',
  ];
}

async function printTables(entries: AsyncIterable<StatementEntry>): Promise<void> {
  let rows: string[][] = [];
  let headings = [...COLUMNS] as string[];
  const flush = () => {
    printTable(headings, rows);
    headings = headings.map((heading) => (heading.endsWith('>') ? '>' : ''));
    rows = [];
  };
  for await (const row of entries) {
    rows.push(cells(row, (minor) => money(minor, row.currency)));
    if (rows.length === TABLE_ROWS) flush();
  }
  if (rows.length > 0 || headings[0]) flush();
}

async function printCsv(entries: AsyncIterable<StatementEntry>): Promise<void> {
  const names = COLUMNS.map((heading) => heading.replace('>', '').toLowerCase());
  print([...names, 'currency'].join(','));
  for await (const row of entries) {
    const values = cells(row, (minor) => money(minor, row.currency).split(' ', 1)[0]!);
    print([...values.map((value) => (value === '-' ? '' : value)), row.currency].join(','));
  }
}

async function printJsonArray(entries: AsyncIterable<StatementEntry>): Promise<void> {
  let before = '[';
  for await (const row of entries) {
    print(before);
    print(`  ${safeJson(row)}`);
    before = ' ,';
  }
  print(before === '[' ? '[]' : ']');
}
