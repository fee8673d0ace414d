-- Rights of a database role that runs the service and cannot change the books: run by the owner of the tables, after each
-- upgrade, on the service's database. docs/billing.md says when and how.
--   create role vauban_service login password '…';
grant usage on schema public to vauban_service;
grant select, insert, update, delete on all tables in schema public to vauban_service;
grant usage on all sequences in schema public to vauban_service;

-- What is booked stays: rows are added, and none of them ever changes.
revoke update, delete on journal, order_lines, invoice_corrections, promo_draws, usage_readings, books, top_up_reversal_payments, series_gaps, migrations from vauban_service;
revoke update, delete on operator_keys, operator_log, operator_outcomes from vauban_service;
-- An order is settled once, a draft is issued once: the triggers refuse a second time.
revoke update, delete on orders, invoices, number_series, payments, promo_credits from vauban_service;
grant update (status, invoice_id, balance_after_minor, settled_at) on orders to vauban_service;
grant update (status, number, sequence, issued_at, paid_at, total_minor, tax_minor, taxes, seller, buyer, printed) on invoices to vauban_service;
grant update (remaining_minor, revoked_at) on promo_credits to vauban_service;
grant update (last, last_issued_at, asked_at, asked_because, at_least) on number_series to vauban_service;
-- A snapshot's use ends once.
revoke update, delete on snapshot_usage from vauban_service;
grant update (until_at) on snapshot_usage to vauban_service;
-- The triggers of the journal move the end of each account's chain.
revoke delete on journal_heads from vauban_service;
