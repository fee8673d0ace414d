import { Option } from 'commander';
import { type Add, group } from '../command.ts';
import { contextOf } from '../context.ts';
import type { Input } from '../operator-client.ts';
import { MONTH, parseCount } from '../option-values.ts';
import { saveContent } from '../save-content.ts';

const bookings: Add = (parent) => {
  parent
    .command('bookings')
    .description('write the journal of a month for bookkeeping, to standard output or a file')
    .requiredOption(...MONTH)
    .addOption(
      new Option('--format <format>', 'plain CSV, or a Buchungsstapel for DATEV')
        .choices(['csv', 'datev'])
        .makeOptionMandatory(),
    )
    .option(
      '--part <number>',
      'number of the file, for a month with too many entries for a single file',
      parseCount,
    )
    .option('--output <file>', 'where to write it; DATEV requires a name such as EXTF_2026-01.csv')
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl export bookings --month 2026-01 --format csv > 2026-01.csv
  $ vaubanctl export bookings --month 2026-01 --format datev --output EXTF_2026-01.csv`,
    )
    .action(async ({ output, ...query }: Input<'exportBookings'> & { output?: string }, command) => {
      await saveContent(contextOf(command).client.download('exportBookings', query), output);
    });
};

const sales: Add = (parent) => {
  parent
    .command('sales')
    .description('write the sales of a month by document, rate, country, tax category and VAT id, as CSV')
    .requiredOption(...MONTH)
    .option('--output <file>', 'where to write it (default: standard output)')
    .action(async ({ month, output }: { month: string; output?: string }, command) => {
      await saveContent(contextOf(command).client.download('exportSales', { month }), output);
    });
};

export const exports = group('export', 'files for bookkeeping', bookings, sales);
