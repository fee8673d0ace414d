import { writeFile } from 'node:fs/promises';
import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import type { Invoice } from '../operator-api.ts';
import { money, print, printFields, printJson, printTable } from '../output.ts';

const NUMBER = ['<invoice>', 'its number, INV-… or CN-…, or its id, inv_…'] as const;

export function addInvoiceList(parent: Command): void {
  parent
    .command('list')
    .description('invoices and credit notes of an account, newest first')
    .argument('<account>', 'id of the account, acc_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const invoices = await client.list('/accounts/{id}/invoices', { params: { id } });
      if (json) return printJson(invoices);
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
      );
    });
}

export function addInvoiceHeld(parent: Command): void {
  parent
    .command('held')
    .description('invoices and credit notes that are held because they would violate a rule')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const held = await client.list('/held-documents');
      if (json) return printJson(held);
      printTable(
        ['MONTH', 'TYPE', 'ACCOUNT', 'NAME', 'SINCE', 'WHY', 'ID'],
        held.map(({ period_start_at, type, account_id, account_name, held_at, reason, invoice_id }) => [
          period_start_at.slice(0, 7),
          type.replace('_', ' '),
          account_id,
          account_name,
          held_at.slice(0, 16),
          reason,
          invoice_id,
        ]),
      );
    });
}

export function addInvoiceShow(parent: Command): void {
  parent
    .command('show')
    .description('show an invoice or a credit note with its lines')
    .argument(...NUMBER)
    .action(async (name: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const invoice = await client.get('/invoices/{id}', { params: { id: name } });
      if (json) printJson(invoice);
      else printInvoice(invoice);
    });
}

export function addInvoiceFile(parent: Command, format: 'pdf' | 'xml'): void {
  parent
    .command(format)
    .description(
      format === 'pdf'
        ? 'write an issued invoice as a PDF with its e-invoice attached'
        : 'write the e-invoice of an issued invoice (EN 16931)',
    )
    .argument(...NUMBER)
    .option('--output <file>', 'where to (default: its number, in this directory)')
    .action(async (name: string, { output }: { output?: string }, command: Command) => {
      const { client, json } = contextOf(command);
      const document = await client.get('/invoices/{id}/document', {
        params: { id: name },
        query: { format },
      });
      const file = output ?? document.name;
      try {
        // Never overwrite an existing file: it may be the one that was sent.
        await writeFile(file, Buffer.from(document.base64, 'base64'), { flag: 'wx' });
      } catch (error) {
        throw new Failure([`cannot write ${file}: ${(error as Error).message}`], 1);
      }
      if (json) printJson({ file });
      else print(file);
    });
}

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
