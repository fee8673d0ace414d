import { sql } from '../../../db/database.ts';
import { isSaleLine } from '../../../db/queries/money/orders.ts';
import type { AccountLaw } from './law.ts';

/** Buyers and taxes of sales, the basis of tax returns. */
export const SALE_LAWS: AccountLaw[] = [
  {
    name: 'the journal has each sale at its rate, category, country and VAT id',
    // Only covers bookings made since entries record these fields.
    offences: (scope) => sql`
      select order_id || ' sold ' || sum(sold) || ' at ' || rate || ' (' || tax_category || ') to '
        || coalesce(vat_id, country, 'an unknown country') || ', booked are ' || sum(booked) as what
      from (
        select order_id, trim_scale(tax_rate)::text as rate, tax_category, sold_to ->> 'country' as country,
          sold_to ->> 'vat_id' as vat_id, line.amount_minor as sold, 0 as booked, line.tax_minor as tax
        from orders join order_lines line on order_id = orders.id
        where ${scope(sql`account_id`)} and status = 'completed' and ${isSaleLine(sql`line`)} and sold_to is not null
        union all
        select order_id, split_part(code, ':', 2), tax_category, country, vat_id, 0, amount,
          case when code like 'tax:%' then -amount else 0 end
        from journal, lateral (select case when credit ~ '^(deferred|revenue|refunds|tax):' then credit else debit end as code) rated,
          lateral (select case when code = credit then amount_minor else -amount_minor end as amount) signed
        where ${scope(sql`account_id`)} and order_id is not null and tax_category is not null
      ) sale
      group by order_id, rate, tax_category, country, vat_id
      having sum(sold) <> sum(booked) or sum(tax) <> 0`,
  },
];
