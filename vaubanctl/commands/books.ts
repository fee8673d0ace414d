import { InvalidArgumentError } from 'commander';
import type { Books, Series } from '../../shared/api/operator.ts';
import { type Add, group } from '../command.ts';
import { contextOf } from '../context.ts';
import { Failure } from '../failure.ts';
import { instant, note, print, printFields, printJson, printTable } from '../output.ts';

/** Describes a number of decimals that a release might have used. */
const decimals = (exponent: number) => (exponent === 0 ? 'no decimals' : `${exponent} decimals`);

const exponent: Add = (parent) => {
  parent
    .command('exponent')
    .description('show the number of decimals of the amounts in the books, or set it if it is unknown')
    .argument('[decimals]', 'number of decimals, such as 2', parseExponent)
    .addHelpText(
      'after',
      `
Compare a payment in the list with what really came. Until this is answered, money operations answer 503.

Examples:
  $ vaubanctl books exponent
  $ vaubanctl books exponent 2`,
    )
    .action(async (given: number | undefined, _options: object, command) => {
      const { client, json } = contextOf(command);
      const books =
        given === undefined
          ? await client.call('getBooks')
          : await client.call('setBooksExponent', { exponent: given });
      if (json) return printJson(books);
      showBooks(books);
    });
};

function parseExponent(text: string): number {
  if (!/^[0-4]$/.test(text)) throw new InvalidArgumentError('a number of decimals, 0 to 4');
  return Number(text);
}

function showBooks(books: Books): void {
  const { currency, exponent, iso_exponent, paused, recorded_at, recorded_by } = books;
  printFields({
    currency,
    'ISO 4217': decimals(iso_exponent),
    books: exponent === null ? (paused ? 'not known' : 'not made yet') : decimals(exponent),
    recorded: recorded_at === null ? 'never' : `${instant(recorded_at)} by ${recorded_by}`,
  });
  if (!paused) return;
  // The numbers of decimals that a release of ICU may have used.
  const readings = [...new Set([iso_exponent, 0])];
  print();
  printTable(
    [
      'PAYMENT',
      'AT',
      'METHOD',
      'REFERENCE',
      ...readings.map((digits) => `WITH ${decimals(digits).toUpperCase()}>`),
    ],
    books.last_payments.map(({ id, created_at, method, reference, amount_minor }) => [
      id,
      instant(created_at),
      method,
      reference,
      ...readings.map((digits) => `${shifted(amount_minor, digits)} ${currency}`),
    ]),
  );
  note(
    `Money operations are paused. Compare a payment with the amount that was received, then set the number, for example: vaubanctl books exponent ${iso_exponent}`,
  );
}

/** Returns an amount as it would read with a number of decimals other than its currency's. */
function shifted(minor: number, digits: number): string {
  const text = String(Math.abs(minor)).padStart(digits + 1, '0');
  const amount = digits === 0 ? text : `${text.slice(0, -digits)}.${text.slice(-digits)}`;
  return minor < 0 ? `-${amount}` : amount;
}

const BECAUSE = {
  moved_database: 'The books are in a different database than before.',
  lost_numbers: 'A node of this installation has seen higher numbers.',
  lost_payment: 'The payment provider has a payment that is not in the books.',
};

interface Last {
  invoice?: number;
  creditNote?: number;
}

const series: Add = (parent) => {
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
    .action(async ({ invoice, creditNote }: Last, command) => {
      const { client, json } = contextOf(command);
      if ((invoice === undefined) !== (creditNote === undefined))
        throw new Failure(['Name both numbers: --invoice and --credit-note.'], 2);
      const all =
        invoice === undefined || creditNote === undefined
          ? await client.call('getSeries')
          : await client.call('setSeries', { invoice, credit_note: creditNote });
      if (json) return printJson(all);
      showSeries(all);
    });
};

function parseNumber(text: string): number {
  const [, digits] = /^(?:INV-|CN-)?(\d{1,15})$/.exec(text) ?? [];
  if (digits === undefined)
    throw new InvalidArgumentError('a number of a document, such as 1042 or INV-001042');
  return Number(digits);
}

function showSeries(all: Series[]): void {
  printTable(
    ['DOCUMENTS', 'LAST NUMBER>', 'AT LEAST>', 'ASKED SINCE', 'GAPS'],
    all.map(({ type, last, at_least, asked_at, gaps }) => [
      type === 'invoice' ? 'invoices' : 'credit notes',
      String(last),
      String(at_least),
      asked_at === null ? '-' : instant(asked_at),
      gaps.map((gap) => `${gap.first} to ${gap.last} (${gap.recorded_by})`).join(', ') || '-',
    ]),
  );
  const asked = all.find(({ asked_because }) => asked_because !== null)?.asked_because;
  if (!asked) return;
  const [invoice, creditNote] = ['invoice', 'credit_note'].map(
    (type) => all.find((one) => one.type === type)?.at_least ?? 0,
  );
  note(
    `${BECAUSE[asked]} Documents may have been issued that are not in it, so no documents are issued now. Report the last numbers; if none were issued: vaubanctl books series --invoice ${invoice} --credit-note ${creditNote}`,
  );
}

export const books = group(
  'books',
  'how the books count their currency and their documents',
  exponent,
  series,
);
