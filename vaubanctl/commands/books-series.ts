import { type Command, InvalidArgumentError } from 'commander';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import type { Series } from '../operator-api.ts';
import { instant, note, printJson, printTable } from '../output.ts';

const BECAUSE = {
  moved_database: 'The books are in a different database than before.',
  lost_numbers: 'A node of this installation has seen higher numbers.',
  lost_payment: 'The payment provider has a payment that is not in the books.',
};

interface Last {
  invoice?: number;
  creditNote?: number;
}

export function addBooksSeries(parent: Command): void {
  parent
    .command('series')
    .description('show the numbers of documents, or report the last ones that may have been issued')
    .option(
      '--invoice <number>',
      'number of the last invoice that may have been issued, such as 1042',
      parseNumber,
    )
    .option('--credit-note <number>', 'number of the last credit note', parseNumber)
    .addHelpText(
      'after',
      `
After an older copy of the database was restored, look for the highest numbers in mails, exports and your bookkeeping. Documents
continue after the numbers that you give, and none are issued until then.

Examples:
  $ vaubanctl books series
  $ vaubanctl books series --invoice 1042 --credit-note 17`,
    )
    .action(async ({ invoice, creditNote }: Last, command: Command) => {
      const { client, json } = contextOf(command);
      if ((invoice === undefined) !== (creditNote === undefined))
        throw new Failure(['Name both numbers: --invoice and --credit-note.'], 2);
      const series =
        invoice === undefined || creditNote === undefined
          ? await client.get('/books/series')
          : await client.post('/books/series', { body: { invoice, credit_note: creditNote } });
      if (json) return printJson(series);
      show(series);
    });
}

function parseNumber(text: string): number {
  const [, digits] = /^(?:INV-|CN-)?(\d{1,15})$/.exec(text) ?? [];
  if (digits === undefined)
    throw new InvalidArgumentError('a number of a document, such as 1042 or INV-001042');
  return Number(digits);
}

function show(series: Series[]): void {
  printTable(
    ['DOCUMENTS', 'LAST NUMBER>', 'AT LEAST>', 'ASKED SINCE', 'GAPS'],
    series.map(({ type, last, at_least, asked_at, gaps }) => [
      type === 'invoice' ? 'invoices' : 'credit notes',
      String(last),
      String(at_least),
      asked_at === null ? '-' : instant(asked_at),
      gaps.map((gap) => `${gap.first} to ${gap.last} (${gap.recorded_by})`).join(', ') || '-',
    ]),
  );
  const asked = series.find(({ asked_because }) => asked_because !== null)?.asked_because;
  if (!asked) return;
  const [invoice, creditNote] = ['invoice', 'credit_note'].map(
    (type) => series.find((one) => one.type === type)?.at_least ?? 0,
  );
  note(
    `${BECAUSE[asked]} Documents may have been issued that are not in it, so no documents are issued now. Report the last numbers; if none were issued: vaubanctl books series --invoice ${invoice} --credit-note ${creditNote}`,
  );
}
