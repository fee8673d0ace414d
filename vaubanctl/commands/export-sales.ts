import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { saveContent } from '../save-content.ts';

export function addExportSales(parent: Command): void {
  parent
    .command('sales')
    .description('write the sales of a month by document, rate, country, tax category and VAT id, as CSV')
    .requiredOption('--month <month>', 'such as 2026-01, in UTC')
    .option('--output <file>', 'where to write it (default: standard output)')
    .action(async ({ month, output }: { month: string; output?: string }, command: Command) => {
      const { client } = contextOf(command);
      await saveContent(client.download('/sales', { query: { month } }), output);
    });
}
