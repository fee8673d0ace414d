import { currencies, decimalsOf } from '../../../../shared/currencies.ts';
import { sql } from '../../../db/database.ts';
import type { SellerLaw } from './law.ts';

const EXPONENTS = JSON.stringify(
  Object.fromEntries([...currencies()].map((currency) => [currency, decimalsOf(currency)])),
);

export const BOOKS_LAWS: SellerLaw[] = [
  {
    name: 'the books record the decimals of their currency, as in ISO 4217',
    offences: sql`
      select money.currency || ' has ' || coalesce(expected.exponent::text, 'unknown') || ' decimals, the books say '
        || coalesce(books.exponent::text, 'nothing') as what
      from (select currency from wallets union select currency from books) money
        left join books on books.currency = money.currency
        left join (
          select key as currency, value::int as exponent from jsonb_each_text(${EXPONENTS}::text::jsonb)
        ) expected on expected.currency = money.currency
      where books.exponent is distinct from expected.exponent or books.exponent is null`,
  },
  {
    name: 'the record of how amounts are counted is as it was written',
    offences: sql`
      select 'books of ' || currency || ' are not as they were written' as what from books
      where seal is distinct from row_seal(to_jsonb(books))`,
  },
];
