import { execute, maybeOne, one, type Queryable, type Sql, sql, type Transaction } from '../database.ts';
import { isMonth, periodNet } from './adjustments.ts';
import type { NewLine } from './orders.ts';
import { type Page, pageOf } from './page.ts';
import type { VmRow } from './vms.ts';

/** A time for which a region, or one VM, was not available. */
export interface OutageRow {
  id: string;
  region: string | null;
  vm_id: string | null;
  from_at: Date;
  to_at: Date;
  reason: string;
  actor: string;
  status: 'open' | 'crediting' | 'credited';
  /** VMs up to this one, by their ids, have been looked at. */
  credited_up_to: string;
  created_at: Date;
}

/** An outage with what was credited for it so far, and is not voided. */
export interface CreditedOutage extends OutageRow {
  /** VMs. */
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

/** Outages, the latest reported first. */
export function listOutages(db: Queryable, page: Page): Promise<CreditedOutage[]> {
  return db.query<CreditedOutage>(sql`select ${withCredits} where true ${pageOf(sql`id`, page)}`);
}

export function findOutage(db: Queryable, id: string): Promise<CreditedOutage | undefined> {
  return maybeOne<CreditedOutage>(db, sql`select ${withCredits} where id = ${id}`);
}

/** An outage, locked until the transaction ends: held by what credits it. */
export function lockOutage(tx: Transaction, id: string): Promise<OutageRow | undefined> {
  return maybeOne<OutageRow>(tx, sql`select ${columns} from outages where id = ${id} for no key update`);
}

/** Notes how far an outage has been credited. */
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

/** The next VM, by their ids, that had the outage in a month that it paid; deleted ones included. */
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

/** A month that a VM paid, and how available it was. */
export interface SlaMonth
  extends Pick<NewLine, 'from_at' | 'to_at' | 'tax_rate' | 'tax_category' | 'tax_reason'> {
  currency: string;
  /** Milliseconds from its start until its end, or the deletion of the VM. */
  served_ms: bigint;
  /** Of these, in outages that are credited; one whose credit to this VM was voided is none. */
  down_ms: bigint;
  /** What was paid for it and not given back, but for corrections and what is charged by use. */
  price_minor: bigint;
  /** What is left of it after all of them. */
  net_minor: bigint;
  /** What was credited of it for outages before, and is not voided. */
  credited_minor: bigint;
}

/** The months of a VM that an outage lies in, which is being credited or is about to be; what gives back and is pending counts as given. */
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
