import { type Sql, sql } from '../../../db/database.ts';
import type { AccountLaw, SellerLaw } from './law.ts';

/**
 * Finds entries that do not follow from the ones before: each hashes its content and the hash of the previous entry.
 */
const brokenChains = (condition: Sql) => sql`
  select coalesce(account_id, 'the seller') || ' entry ' || position || ' (' || reason || ', ' || amount_minor
    || ') does not follow from the one before it' as what
  from (
    select account_id, position, reason, amount_minor, hash, to_jsonb(journal) as content, lag(position, 1, 0) over chain as before,
      lag(hash, 1, '') over chain as previous
    from journal where ${condition} window chain as (partition by account_id order by position, id)
  ) entry
  where position <> before + 1 or hash <> journal_hash(previous, content)`;

/** Finds chains that do not end where the service ended them. */
const cutChains = (condition: Sql, heads: Sql) => sql`
  select coalesce(head.chain, last.chain) || ' has ' || coalesce(last.position, 0) || ' entries, its chain ends at '
    || coalesce(head.position, 0) as what
  from (select * from journal_heads where ${heads}) head full join (
    select distinct on (account_id) coalesce(account_id, 'seller') as chain, position, hash
    from journal where ${condition} order by account_id, position desc
  ) last on last.chain = head.chain
  where (head.position, head.hash) is distinct from (last.position, last.hash)`;

const changed = (kind: Sql, name: Sql, row: Sql, from: Sql, content = sql`to_jsonb(${row})`) => sql`
  select ${kind} || ' ' || ${name} || ' is not as it was written' as what from ${from}
    and ${row}.seal is distinct from row_seal(${content})`;

/** Detects rows that were edited, added or deleted behind the service's back. */
export const SEAL_LAWS: AccountLaw[] = [
  {
    name: 'the journal is one unbroken chain',
    offences: (scope) => brokenChains(scope(sql`account_id`)),
  },
  {
    name: 'the journal ends where its chain ends',
    offences: (scope) => cutChains(scope(sql`account_id`), sql`chain <> 'seller' and ${scope(sql`chain`)}`),
  },
  {
    name: 'orders are as they were written',
    offences: (scope) =>
      changed(sql`'order'`, sql`id`, sql`orders`, sql`orders where ${scope(sql`account_id`)}`),
  },
  {
    name: 'lines are as they were written',
    offences: (scope) =>
      changed(
        sql`'line'`,
        sql`order_id || '/' || position`,
        sql`order_lines`,
        sql`order_lines join orders on orders.id = order_id where ${scope(sql`account_id`)}`,
      ),
  },
  {
    name: 'the sale of a VM is as it was written',
    offences: (scope) =>
      changed(sql`'VM'`, sql`id`, sql`vms`, sql`vms where ${scope(sql`account_id`)}`, sql`terms_of_vm(vms)`),
  },
  {
    name: 'the limits of accounts are as they were written',
    offences: (scope) =>
      changed(
        sql`'account'`,
        sql`id`,
        sql`accounts`,
        sql`accounts where ${scope(sql`id`)}`,
        sql`terms_of_account(accounts)`,
      ),
  },
  {
    name: 'the record of a warning and a grace in a wallet is as it was written',
    offences: (scope) =>
      changed(
        sql`'wallet of'`,
        sql`account_id`,
        sql`wallets`,
        sql`wallets where ${scope(sql`account_id`)}`,
        sql`terms_of_wallet(wallets)`,
      ),
  },
  {
    name: 'the links of credit notes are as they were written',
    offences: (scope) =>
      changed(
        sql`'correction of'`,
        sql`invoice_id || ' by ' || credit_note_id`,
        sql`invoice_corrections`,
        sql`invoice_corrections join invoices on invoices.id = credit_note_id where ${scope(sql`account_id`)}`,
        sql`terms_of_correction(invoice_corrections)`,
      ),
  },
  {
    name: 'payments are as they were written',
    offences: (scope) =>
      changed(sql`'payment'`, sql`id`, sql`payments`, sql`payments where ${scope(sql`account_id`)}`),
  },
  {
    name: 'invoices are as they were written',
    offences: (scope) =>
      changed(sql`'invoice'`, sql`id`, sql`invoices`, sql`invoices where ${scope(sql`account_id`)}`),
  },
  {
    name: 'promotional credit is as it was written',
    offences: (scope) =>
      changed(
        sql`'promotional credit'`,
        sql`id`,
        sql`promo_credits`,
        sql`promo_credits where ${scope(sql`account_id`)}`,
      ),
  },
  {
    name: 'draws of promotional credit are as they were written',
    offences: (scope) =>
      changed(
        sql`'draw'`,
        sql`order_id || '/' || promo_draws.id`,
        sql`promo_draws`,
        sql`promo_draws join orders on orders.id = order_id where ${scope(sql`account_id`)}`,
      ),
  },
  {
    name: 'reversals of payments are as they were written',
    offences: (scope) =>
      changed(
        sql`'reversal'`,
        sql`id`,
        sql`top_up_reversals`,
        sql`top_up_reversals where ${scope(sql`account_id`)}`,
      ),
  },
  {
    name: 'readings of meters are as they were written',
    offences: (scope) =>
      changed(
        sql`'reading'`,
        sql`vm_id || '/' || position`,
        sql`usage_readings`,
        sql`usage_readings where ${scope(sql`account_id`)}`,
      ),
  },
  {
    name: 'the usage of snapshots is as it was written',
    offences: (scope) =>
      changed(
        sql`'use of'`,
        sql`snapshot_id`,
        sql`snapshot_usage`,
        sql`snapshot_usage where ${scope(sql`account_id`)}`,
      ),
  },
];

/** Detects edited, added or deleted rows of data that belongs to no account. */
export const SELLER_SEAL_LAWS: SellerLaw[] = [
  { name: "the seller's journal is one unbroken chain", offences: brokenChains(sql`account_id is null`) },
  {
    name: "the seller's journal ends where its chain ends",
    offences: cutChains(sql`account_id is null`, sql`chain = 'seller'`),
  },
  {
    name: 'gaps in the numbers of documents are as they were written',
    offences: changed(
      sql`'gap'`,
      sql`type || ' from ' || first`,
      sql`series_gaps`,
      sql`series_gaps where true`,
    ),
  },
  {
    name: 'outages are as they were written',
    offences: changed(sql`'outage'`, sql`id`, sql`outages`, sql`outages where true`),
  },
];
