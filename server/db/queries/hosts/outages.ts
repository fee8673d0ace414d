import { execute, maybeOne, one, type Queryable, type Sql, sql, type Transaction } from '../../database.ts';
import { isMonth, periodNet } from '../money/adjustments.ts';
import type { NewLine } from '../money/orders.ts';
import { type Page, pageOf } from '../page.ts';
import type { VmRow } from '../vms/vms.ts';

/** A period during which a region or a single VM was unavailable. */
export interface OutageRow {
  id: string;
  region: string | null;
  vm_id: string | null;
  from_at: Date;
  to_at: Date;
  reason: string;
  actor: string;
  status: 'open' | 'crediting' | 'credited';
  /** Id of the last VM that was processed; VMs are processed in order of id. */
  credited_up_to: string;
  created_at: Date;
}

/** An outage with the credits for it so far that were not voided. */
export interface CreditedOutage extends OutageRow {
  /** Number of VMs credited. */
  credited: bigint;
  /** Positive. */
  credited_minor: bigint;
}

const columns = sql`id, region, vm_id, from_at, to_at, reason, actor, status, credited_up_to, created_at`;

const voided = (order: Sql) =>
  sql`exists (select 1 from orders undo where undo.corrects_order_id = ${order}.id and undo.status = 'completed')`;

const withCredits = sql`${columns}, credited, credited_minor from outages, lateral (
  select count(*) as credited, coalesce(-sum(amount_minor), 0)::bigint as credited_minor
  from orders made where made.outage_id = outages.id and not ${voided(sql`made`)}) as credits`;

export function insertOutage(
  db: Queryable,
  outage: Omit<OutageRow, 'status' | 'credited_up_to'>,
): Promise<OutageRow> {
  const { id, region, vm_id, from_at, to_at, reason, actor, created_at } = outage;
  return one<OutageRow>(
    db,
    sql`insert into outages (id, region, vm_id, from_at, to_at, reason, actor, created_at)
      values (${id}, ${region}, ${vm_id}, ${from_at}, ${to_at}, ${reason}, ${actor}, ${created_at}) returning ${columns}`,
  );
}

/** Lists outages, most recently reported first. */
export function listOutages(db: Queryable, page: Page): Promise<CreditedOutage[]> {
  return db.query<CreditedOutage>(sql`select ${withCredits} where true ${pageOf(sql`id`, page)}`);
}

export function findOutage(db: Queryable, id: string): Promise<CreditedOutage | undefined> {
  return maybeOne<CreditedOutage>(db, sql`select ${withCredits} where id = ${id}`);
}

/** Returns an outage and locks it until the transaction ends, so that only one transaction credits it. */
export function lockOutage(tx: Transaction, id: string): Promise<OutageRow | undefined> {
  return maybeOne<OutageRow>(tx, sql`select ${columns} from outages where id = ${id} for no key update`);
}

/** Records how far an outage has been credited. */
export async function advanceOutage(
  tx: Transaction,
  { id, status, credited_up_to }: Pick<OutageRow, 'id' | 'status' | 'credited_up_to'>,
): Promise<void> {
  await execute(
    tx,
    sql`update outages set status = ${status}, credited_up_to = ${credited_up_to} where id = ${id}`,
  );
}

const sold = (vmId: Sql, from: Sql, to: Sql) => sql`
  orders sale join order_lines sold on sold.order_id = sale.id
  where sale.vm_id = ${vmId} and ${isMonth(sql`sold`, sql`sale`)} and sold.from_at < ${to} and sold.to_at > ${from}`;

/** Returns the next VM by id, including deleted ones, for which the outage falls into a paid month. */
export function nextVmOf(
  db: Queryable,
  outage: OutageRow,
): Promise<Pick<VmRow, 'id' | 'account_id'> | undefined> {
  const { region, vm_id, credited_up_to, from_at, to_at } = outage;
  const which = vm_id === null ? sql`region = ${region}` : sql`id = ${vm_id}`;
  return maybeOne(
    db,
    sql`select id, account_id from vms where ${which} and id > ${credited_up_to}
      and exists (select 1 from ${sold(sql`vms.id`, sql`${from_at}::timestamptz`, sql`${to_at}::timestamptz`)})
      order by id limit 1`,
  );
}

/** A month that a VM paid for, with its availability. */
export interface SlaMonth
  extends Pick<NewLine, 'from_at' | 'to_at' | 'tax_rate' | 'tax_category' | 'tax_reason'> {
  currency: string;
  /** Milliseconds from the month's start until its end or the VM's deletion. */
  served_ms: bigint;
  /**
   * Milliseconds of that in outages that are being or have been credited. An outage whose credit to this VM was voided
   * does not count.
   */
  down_ms: bigint;
  /** Amount paid for the month and not refunded, without corrections and usage charges. */
  price_minor: bigint;
  /** Remaining amount after all refunds and corrections. */
  net_minor: bigint;
  /** Amount already credited for outages in this month and not voided. */
  credited_minor: bigint;
}

/**
 * Returns the months of a VM that an outage falls into. The outage is being credited or is about to be. Pending refunds
 * count as made.
 */
export function slaMonthsOf(db: Queryable, vm: VmRow, outage: OutageRow): Promise<SlaMonth[]> {
  const paid = sql`(paid.status = 'completed' or (paid.status = 'pending' and paid.amount_minor < 0))`;
  const net = (status: Sql) => periodNet(sql`${vm.id}`, sql`month.from_at`, sql`month.to_at`, status);
  return db.query<SlaMonth>(sql`
    with month as (
      select sold.from_at, sold.to_at, sold.tax_rate, sold.tax_category, sold.tax_reason, sale.currency,
        least(sold.to_at, ${vm.deleted_at}::timestamptz) as until
      from ${sold(sql`${vm.id}`, sql`${outage.from_at}::timestamptz`, sql`${outage.to_at}::timestamptz`)}
        and (${vm.deleted_at}::timestamptz is null or ${vm.deleted_at} > greatest(sold.from_at, ${outage.from_at}))
    )
    select from_at, to_at, tax_rate, tax_category, tax_reason, currency,
      (extract(epoch from until - from_at) * 1000)::bigint as served_ms, down_ms,
      ${net(sql`${paid} and paid.adjustment is null and part.unit not in ('GB', 'GB-month')`)} as price_minor,
      ${net(paid)} as net_minor,
      -${net(sql`paid.adjustment = 'sla_credit' and not ${voided(sql`paid`)}`)} as credited_minor
    from month, lateral (
      select coalesce(sum(extract(epoch from upper(down) - lower(down)) * 1000), 0)::bigint as down_ms
      from (
        select unnest(range_agg(tstzrange(o.from_at, o.to_at) * tstzrange(month.from_at, month.until))) as down
        from outages o
        where (o.region = ${vm.region} or o.vm_id = ${vm.id}) and o.from_at < month.until and o.to_at > month.from_at
          and (o.status <> 'open' or o.id = ${outage.id}) and not exists (
            select 1 from orders made where made.outage_id = o.id and made.vm_id = ${vm.id} and ${voided(sql`made`)})
      ) merged
    ) downtime
    order by from_at`);
}
