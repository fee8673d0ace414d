import { type Command, InvalidArgumentError } from 'commander';
import { contextOf } from '../context.ts';
import type { Books } from '../operator-api.ts';
import { instant, note, print, printFields, printJson, printTable } from '../output.ts';

/** Describes a number of decimals that a release might have used. */
const decimals = (exponent: number) => (exponent === 0 ? 'no decimals' : `${exponent} decimals`);

export function addBooksExponent(parent: Command): void {
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
    .action(async (exponent: number | undefined, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const books =
        exponent === undefined
          ? await client.get('/books')
          : await client.post('/books/exponent', { body: { exponent } });
      if (json) return printJson(books);
      show(books);
    });
}

function parseExponent(text: string): number {
  if (!/^[0-4]$/.test(text)) throw new InvalidArgumentError('a number of decimals, 0 to 4');
  return Number(text);
}

function show(books: Books): void {
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
