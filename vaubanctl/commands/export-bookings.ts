import { type Command, Option } from 'commander';
import { contextOf } from '../context.ts';
import type { Files } from '../operator-api.ts';
import { parseCount } from '../option-values.ts';
import { saveContent } from '../save-content.ts';

interface ExportOptions {
  month: string;
  format: Files['/bookings']['query']['format'];
  part?: number;
  output?: string;
}

export function addExportBookings(parent: Command): void {
  parent
    .command('bookings')
    .description('write the journal of a month for bookkeeping, to standard output or a file')
    .requiredOption('--month <month>', 'such as 2026-01, in UTC')
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
    .option('--output <file>', 'where to write it; DATEV wants a name such as EXTF_2026-01.csv')
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl export bookings --month 2026-01 --format csv > 2026-01.csv
  $ vaubanctl export bookings --month 2026-01 --format datev --output EXTF_2026-01.csv`,
    )
    .action(async ({ month, format, part, output }: ExportOptions, command: Command) => {
      const { client } = contextOf(command);
      const content = client.download('/bookings', { query: { month, format, part } });
      await saveContent(content, output);
    });
}
