import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { missingDocuments } from '../missing-documents.ts';
import { money, print, printJson, printTable } from '../output.ts';
import { saveContent } from '../save-content.ts';

export function addDocumentList(parent: Command): void {
  parent
    .command('list')
    .description('invoices and credit notes of all accounts for a month, newest first')
    .requiredOption('--month <month>', 'such as 2026-01, in UTC')
    .action(async ({ month }: { month: string }, command: Command) => {
      const { client, json } = contextOf(command);
      const documents = await client.list('/documents', { query: { month } });
      if (json) return printJson(documents);
      printTable(
        ['NUMBER', 'TYPE', 'STATUS', 'ISSUED', 'BUYER', 'COUNTRY', 'VAT ID', 'TAX>', 'TOTAL>', 'ACCOUNT'],
        documents.map((document) => [
          document.number ?? '-',
          document.type.replace('_', ' '),
          document.status,
          document.issued_at?.slice(0, 10) ?? '-',
          document.buyer?.name ?? '-',
          document.buyer?.country ?? '-',
          document.buyer?.vat_id ?? '-',
          money(document.tax_minor, document.currency),
          money(document.total_minor, document.currency),
          document.account_id,
        ]),
      );
    });
}

export function addDocumentDownload(parent: Command): void {
  parent
    .command('download')
    .description('write PDF and XML of all issued documents of a month to one archive (tar, gzip)')
    .requiredOption('--month <month>', 'such as 2026-01, in UTC')
    .option('--output <file>', 'where to write it (default: documents-MONTH.tar.gz, in this directory)')
    .addHelpText(
      'after',
      `
Drafts are not in it: a month is complete once its documents are issued, ten minutes after its end, and none is held.
If a document cannot be made, the archive has all others and names it in MISSING.txt, and the exit status is 1.

Examples:
  $ vaubanctl document download --month 2026-01
  $ tar -xf documents-2026-01.tar.gz`,
    )
    .action(async ({ month, output }: { month: string; output?: string }, command: Command) => {
      const { client, json } = contextOf(command);
      const file = output ?? `documents-${month}.tar.gz`;
      await saveContent(client.download('/documents/archive', { query: { month } }), file);
      const missing = await missingDocuments(file);
      if (json) printJson({ file, missing });
      else print(file);
      if (missing.length > 0)
        throw new Failure(['the archive lacks documents that could not be made:', ...missing], 1);
    });
}
