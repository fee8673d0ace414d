import { writeFile } from 'node:fs/promises';
import type { Invoice } from '../../shared/api/operator.ts';
import { type Add, group, plain } from '../command.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { ACCOUNT } from '../option-values.ts';
import { money, print, printFields, printJson, printTable } from '../output.ts';

const NUMBER = ['<invoice>', 'its number, INV-… or CN-…, or its id, inv_…'] as const;

const list = plain('list', 'listInvoices', {
  about: 'invoices and credit notes of an account, newest first',
  args: { id: ACCOUNT },
  print: (invoices) =>
    printTable(
      ['MONTH', 'NUMBER', 'TYPE', 'STATUS', 'TOTAL>', 'ID'],
      invoices.map(({ period_start_at, number, type, status, total_minor, currency, id }) => [
        period_start_at.slice(0, 7),
        number ?? '-',
        type.replace('_', ' '),
        status,
        money(total_minor, currency),
        id,
      ]),
    ),
});

const held = plain('held', 'listHeldDocuments', {
  about: 'invoices and credit notes that are held because they would violate a rule',
  print: (documents) =>
    printTable(
      ['MONTH', 'TYPE', 'ACCOUNT', 'NAME', 'SINCE', 'WHY', 'ID'],
      documents.map(({ period_start_at, type, account_id, account_name, held_at, reason, invoice_id }) => [
        period_start_at.slice(0, 7),
        type.replace('_', ' '),
        account_id,
        account_name,
        held_at.slice(0, 16),
        reason,
        invoice_id,
      ]),
    ),
});

const show = plain('show', 'getInvoice', {
  about: 'show an invoice or a credit note with its lines',
  args: { id: NUMBER },
  print: printInvoice,
});

const file =
  (format: 'pdf' | 'xml', about: string): Add =>
  (parent) => {
    parent
      .command(format)
      .description(about)
      .argument(...NUMBER)
      .option('--output <file>', 'where to write it (default: its number, in this directory)')
      .action(async (id: string, { output }: { output?: string }, command) => {
        const { client, json } = contextOf(command);
        const document = await client.call('getInvoiceDocument', { id, format });
        const path = output ?? document.name;
        try {
          // Never overwrite an existing file: it may be the one that was sent.
          await writeFile(path, Buffer.from(document.base64, 'base64'), { flag: 'wx' });
        } catch (error) {
          throw new Failure([`cannot write ${path}: ${(error as Error).message}`], 1);
        }
        if (json) printJson({ file: path });
        else print(path);
      });
  };

function printInvoice(invoice: Invoice): void {
  const { currency, seller, buyer } = invoice;
  const amount = (minor: number) => money(minor, currency);
  printFields({
    number: invoice.number ?? 'none yet',
    type: invoice.type.replace('_', ' '),
    status: invoice.status,
    account: invoice.account_id,
    seller: seller?.name ?? 'none',
    buyer: buyer ? [buyer.name, buyer.country, buyer.vat_id].filter(Boolean).join(', ') : 'none yet',
    ...(invoice.order_reference !== null && { 'order number': invoice.order_reference }),
    net: amount(invoice.subtotal_minor),
    tax: amount(invoice.tax_minor),
    total: amount(invoice.total_minor),
  });
  print();
  printTable(
    ['SERVICE', 'HOST', 'QUANTITY>', 'PRICE>', 'FROM', 'TO', 'TAX', 'RATE>', 'AMOUNT>'],
    invoice.lines.map((line) => [
      line.description,
      line.hostname ?? '-',
      `${line.quantity} ${line.unit}`,
      line.unit_price,
      line.from_at.slice(0, 10),
      line.to_at.slice(0, 10),
      line.tax_category.replace('_', ' '),
      line.tax_rate,
      amount(line.amount_minor),
    ]),
  );
}

export const invoice = group(
  'invoice',
  'invoices and credit notes of all accounts',
  list,
  held,
  show,
  file('pdf', 'write an issued invoice as a PDF with its e-invoice attached'),
  file('xml', 'write the e-invoice of an issued invoice (EN 16931)'),
);
