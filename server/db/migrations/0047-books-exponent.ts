import { currencies, decimalsOf } from '../../../shared/currencies.ts';
import type { Migration } from '../migrate.ts';

/**
 * What the releases before this one asked for a currency's decimals. Where it disagrees with ISO 4217, only the operator can
 * know what the amounts in the books are.
 */
const decimalsOfRuntime = (currency: string): number | undefined =>
  // biome-ignore lint/style/noRestrictedGlobals: stores only what the table says too
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits;

const agreed = () =>
  [...currencies()]
    .map((currency) => [currency, decimalsOf(currency)] as const)
    .filter(([currency, exponent]) => decimalsOfRuntime(currency) === exponent)
    .map(([currency, exponent]) => `('${currency}', ${exponent})`);

/** How many decimals the amounts of each currency have, and who said so. */
export const booksExponent: Migration = {
  name: '0047-books-exponent',
  // Only an upgrade asks the runtime about 180 currencies: that takes a fiftieth of a start.
  get up() {
    return `
create table books (
  currency text primary key,
  exponent smallint not null check (exponent between 0 and 4),
  recorded_at timestamptz not null,
  recorded_by text not null,
  seal bytea not null
);
create trigger books_sealed before insert on books for each row execute function seal_row();
create trigger books_kept before update or delete on books for each row execute function refuse_book_change();
create trigger books_no_truncate before truncate on books for each statement execute function refuse_book_change();
insert into books (currency, exponent, recorded_at, recorded_by)
select agreed.currency, agreed.exponent, now(), 'upgrade'
from (values ${agreed().join(', ')}) as agreed (currency, exponent)
where exists (select from wallets where wallets.currency = agreed.currency);
`;
  },
  down: `
drop table books;
`,
};
