import { type Add, group, plain, required } from '../command.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { missingDocuments } from '../missing-documents.ts';
import { MONTH } from '../option-values.ts';
import { money, print, printJson, printTable } from '../output.ts';
import { saveContent } from '../save-content.ts';

const list = plain('list', 'listDocuments', {
  about: 'invoices and credit notes of all accounts for a month, newest first',
  options: { month: required(...MONTH) },
  print: (documents) =>
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
    ),
});

const download: Add = (parent) => {
  parent
    .command('download')
    .description('write PDF and XML of all issued documents of a month to one archive (tar, gzip)')
    .requiredOption(...MONTH)
    .option('--output <file>', 'where to write it (default: documents-MONTH.tar.gz, in this directory)')
    .addHelpText(
      'after',
      `
Drafts are not in it: a month is complete once its documents are issued, ten minutes after its end, and none is held.
If a document cannot be created, the archive has all others and names it in MISSING.txt, and the exit status is 1.

Examples:
  $ vaubanctl document download --month 2026-01
  $ tar -xf documents-2026-01.tar.gz`,
    )
    .action(async ({ month, output }: { month: string; output?: string }, command) => {
      const { client, json } = contextOf(command);
      const file = output ?? `documents-${month}.tar.gz`;
      await saveContent(client.download('downloadDocuments', { month }), file);
      const missing = await missingDocuments(file);
      if (json) printJson({ file, missing });
      else print(file);
      if (missing.length > 0)
        throw new Failure(['the archive lacks documents that could not be created:', ...missing], 1);
    });
};

export const document = group('document', 'documents of a month, of all accounts', list, download);
