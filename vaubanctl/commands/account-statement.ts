import { type Command, Option } from 'commander';
import { safeJson } from '../../shared/safe-text.ts';
import { contextOf } from '../context.ts';
import type { StatementEntry } from '../operator-api.ts';
import { parseDay } from '../option-values.ts';
import { instant, money, print, printTable } from '../output.ts';

interface StatementOptions {
  from?: string;
  to?: string;
  format: 'table' | 'csv';
}

const COLUMNS = [
  ...['ENTRY>', 'AT', 'REASON', 'DEBIT', 'CREDIT', 'AMOUNT>', 'AVAILABLE>', 'PROMO>', 'HELD>', 'FOR'],
] as const;
/** Entries per table, so that long statements are printed as they arrive. */
const TABLE_ROWS = 500;

export function addAccountStatement(parent: Command): void {
  parent
    .command('statement')
    .description("show an account's journal with the running balance, oldest first")
    .argument('<account>', 'id of the account, acc_…')
    .option('--from <day>', 'from then on, such as 2026-01-01 or an instant', parseDay)
    .option('--to <day>', 'end (exclusive)', parseDay)
    .addOption(
      new Option('--format <format>', 'for people or for spreadsheets')
        .choices(['table', 'csv'])
        .default('table'),
    )
    .action(async (id: string, { from, to, format }: StatementOptions, command: Command) => {
      const { client, json } = contextOf(command);
      const content = client.download('/accounts/{id}/statement', { params: { id }, query: { from, to } });
      const entries = readEntries(content);
      if (json) await printJsonArray(entries);
      else if (format === 'csv') await printCsv(entries);
      else await printTables(entries);
    });
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
