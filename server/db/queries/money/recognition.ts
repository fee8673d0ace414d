import { type Database, execute, maybeOne, type Sql, sql } from '../../database.ts';
import { isSaleLine } from './orders.ts';

const DAY_MS = 86_400_000;
/** Delay after a day's end: orders settled in its last moments may still be committing. */
const RECOGNIZE_AFTER_MS = 10 * 60_000;
/** Days caught up one by one after an outage; anything before them becomes a single entry. */
const MAX_DAYS = 31;

/**
 * Net amounts by tax rate served until `end`, out of the amounts deferred at settlement: each line's share of its service
 * period, to the second, rounded per line. Derived from the lines only; `rest` narrows it.
 */
const servedUntil = (end: Sql, rest: Sql) => sql`
  select currency, trim_scale(tax_rate)::text as rate, sum(case when to_at <= ${end} then net
    else round(net * extract(epoch from ${end} - from_at) / extract(epoch from to_at - from_at)) end) as amount
  from order_lines join orders on orders.id = order_id, lateral (select order_lines.amount_minor - tax_minor as net) as line
  where status = 'completed' and ${isSaleLine(sql`order_lines`)} and to_at > settled_at and from_at < ${end} and settled_at < ${end} ${rest}
  group by 1, 2`;

/** Net amounts by tax rate recognised so far. */
const recognized = sql`
  select currency, substr(code, 10) as rate, sum(amount) as amount
  from journal, lateral (values (debit, amount_minor), (credit, -amount_minor)) as leg (code, amount)
  where reason = 'recognition' and code like 'deferred:%' group by 1, 2`;

/**
 * Books deferred revenue as revenue for each past day (UTC): one entry per day and tax rate, for the amount served by
 * the end of the day minus the amount already recognised. Running it again books nothing; orders settled late are part
 * of the next day's entry. Returns the end of the last booked day.
 */
export async function recognizeRevenue(db: Database, now: Date): Promise<Date> {
  const today = new Date(now.getTime() - RECOGNIZE_AFTER_MS).setUTCHours(0, 0, 0, 0);
  const last = await maybeOne<{ end: Date }>(
    db,
    sql`select (day + 1)::timestamp at time zone 'UTC' as end from journal where reason = 'recognition' order by day desc limit 1`,
  );
  const first = Math.max(last?.end.getTime() ?? 0, today - MAX_DAYS * DAY_MS);
  for (let start = last ? first : today - DAY_MS; start < today; start += DAY_MS) {
    const end = sql`${new Date(start + DAY_MS)}::timestamptz`;
    await execute(
      db,
      sql`
      insert into journal (debit, credit, amount_minor, currency, reason, day, created_at)
      select case when due > 0 then 'deferred:' else 'revenue:' end || rate,
        case when due > 0 then 'revenue:' else 'deferred:' end || rate, abs(due), currency, 'recognition',
        (${new Date(start)}::timestamptz at time zone 'UTC')::date, ${now}
      from (${servedUntil(end, sql``)}) served full join (${recognized}) recognized using (currency, rate),
        lateral (select coalesce(served.amount, 0) - coalesce(recognized.amount, 0) as due) as difference
      where due <> 0 on conflict do nothing`,
    );
  }
  return new Date(today);
}

const BOOKED = sql`(select max(id) from journal where reason = 'recognition')`;
const BOOKED_UNTIL = sql`(select (max(day) + 1)::timestamp at time zone 'UTC' from journal where reason = 'recognition')`;
/** Leaves out orders settled too late to be part of the latest entries. */
const IN_TIME = sql`and exists (select 1 from journal where journal.order_id = orders.id and journal.id < ${BOOKED}
  and reason in ('capture', 'charge', 'refund'))`;

/**
 * Tax rates for which the recognised amount differs from the amount served by the end of the last booked day, described
 * in `what`.
 */
export const misrecognized = sql`
  select rate || ': served ' || coalesce(served.amount, 0) || ', recognised ' || coalesce(recognized.amount, 0) as what
  from (${servedUntil(BOOKED_UNTIL, IN_TIME)}) served full join (${recognized}) recognized using (currency, rate)
  where coalesce(served.amount, 0) <> coalesce(recognized.amount, 0)`;
