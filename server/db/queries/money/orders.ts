import { execute, maybeOne, one, type Queryable, type Sql, sql } from '../../database.ts';
import { ifGiven } from '../filters.ts';
import { type Page, pageOf } from '../page.ts';

export type OrderKind =
  | 'create'
  | 'change_plan'
  | 'change_custom'
  | 'renew'
  | 'add_on'
  | 'hourly_usage'
  | 'delete_refund'
  | 'adjustment';
/** Kinds of corrections by the operator. */
export type AdjustmentType = 'credit' | 'debit' | 'refund' | 'void' | 'sla_credit';

export interface Adjustment {
  type: AdjustmentType;
  /** Shown to the customer, too. */
  reason: string;
  /** Operator who made it, such as "anna as root"; shown to operators only. */
  actor: string;
  /** The order that is refunded or undone. */
  correctsOrderId?: string;
  outageId?: string;
}

export type OrderStatus = 'pending' | 'completed' | 'failed' | 'refunded';

export interface OrderRow {
  id: string;
  account_id: string;
  vm_id: string | null;
  kind: OrderKind;
  status: OrderStatus;
  amount_minor: bigint;
  /** The part of the amount that only moves a deposit into or out of the hold; null if no line does. */
  deposit_minor: bigint | null;
  /** The wallet's available amount after settlement; null before that, and if the order failed. */
  balance_after_minor: bigint | null;
  currency: string;
  invoice_id: string | null;
  created_at: Date;
  settled_at: Date | null;
  /** Null except for corrections, like the fields below. */
  adjustment: AdjustmentType | null;
  reason: string | null;
  actor: string | null;
  corrects_order_id: string | null;
  outage_id: string | null;
}

export interface OrderLineRow {
  order_id: string;
  position: number;
  description: string;
  quantity: number;
  unit: string;
  /** Price of one unit, a decimal in major units. */
  unit_price: string;
  amount_minor: bigint;
  from_at: Date;
  to_at: Date;
  proration: boolean;
  /** Hourly price in a month that is billed hourly; otherwise null. */
  price_hourly?: string | null;
  /** The code of the add-on of the line; null or absent for any other line. */
  add_on?: string | null;
  /** The rate of the sale; a refund keeps it. */
  tax_rate: string;
  /**
   * Included in the amount. Rounded once, here; orders add it up, while documents compute their tax from their own
   * base.
   */
  tax_minor: bigint;
  tax_category: 'standard' | 'zero_rated' | 'exempt' | 'reverse_charge' | 'outside_scope';
  /** Why no tax is charged; null if it is. */
  tax_reason: string | null;
  /**
   * Host name of its VM when it was sold; null if it concerns no VM, and in lines from before this was recorded. The
   * database fills it in.
   */
  hostname: string | null;
  /** The buyer as known at the time of sale; null in lines of 0.10.0 and older. */
  sold_to: SoldTo | null;
}

/** A buyer as the books know them; empty without a billing profile. */
export interface SoldTo {
  /** ISO 3166-1 alpha-2. */
  country?: string;
  vat_id?: string;
}

export const orderColumns = sql`id, account_id, vm_id, kind, status, amount_minor, deposit_minor, balance_after_minor, currency,
  invoice_id, created_at, settled_at, adjustment, reason, actor, corrects_order_id, outage_id`;

/**
 * A line to be written; without a category it is taxed as the latest sale of its VM at that rate, or as the latest deposit if
 * the order moves one: what is sold of a deposit is taxed as on the day on which that was taken.
 */
export type NewLine = Omit<
  OrderLineRow,
  'order_id' | 'position' | 'tax_category' | 'hostname' | 'sold_to'
> & {
  tax_category: OrderLineRow['tax_category'] | null;
};

/** Condition: the line only moves a deposit into or out of the hold, and sells nothing. */
export const isDeposit = (line: Sql) => sql`(${line}.unit = 'deposit')`;

/** Condition: the line sells something or refunds it. */
export const isSaleLine = (line: Sql) => sql`(${line}.unit <> 'deposit')`;

/** Condition: the line sells a period of a VM's size, or holds or releases a deposit for one. */
export const isOfPeriod = (line: Sql) => sql`(${line}.unit in ('month', 'deposit'))`;

/** Condition: both lines are about the same item of a VM: the same add-on, or its size. */
export const isSameItem = (line: Sql, other: Sql) =>
  sql`(${line}.add_on is not distinct from ${other}.add_on)`;

function depositOf(lines: NewLine[]): bigint | null {
  const deposits = lines.filter(({ unit }) => unit === 'deposit');
  return deposits.length === 0 ? null : deposits.reduce((sum, { amount_minor }) => sum + amount_minor, 0n);
}

/** Inserts a pending order with its lines in one statement, and returns it as stored. */
export async function insertOrder(
  db: Queryable,
  order: Pick<OrderRow, 'id' | 'account_id' | 'vm_id' | 'kind' | 'amount_minor' | 'currency' | 'created_at'>,
  lines: NewLine[],
  adjustment?: Adjustment,
): Promise<OrderRow> {
  const json = JSON.stringify(lines, (_, value) => (typeof value === 'bigint' ? value.toString() : value));
  const row: OrderRow = {
    ...order,
    status: 'pending',
    deposit_minor: depositOf(lines),
    balance_after_minor: null,
    invoice_id: null,
    settled_at: null,
    adjustment: adjustment?.type ?? null,
    reason: adjustment?.reason ?? null,
    actor: adjustment?.actor ?? null,
    corrects_order_id: adjustment?.correctsOrderId ?? null,
    outage_id: adjustment?.outageId ?? null,
  };
  await execute(
    db,
    sql`
    with placed as (
      insert into orders (id, account_id, vm_id, kind, status, amount_minor, deposit_minor, currency, created_at, adjustment, reason, actor,
        corrects_order_id, outage_id)
      values (${row.id}, ${row.account_id}, ${row.vm_id}, ${row.kind}, ${row.status}, ${row.amount_minor}::bigint,
        ${row.deposit_minor}::bigint, ${row.currency}, ${row.created_at}, ${row.adjustment}, ${row.reason}, ${row.actor}, ${row.corrects_order_id},
        ${row.outage_id})
      returning id
    )
      insert into order_lines (order_id, position, description, quantity, unit, unit_price, amount_minor, from_at, to_at, proration,
        price_hourly, add_on, tax_rate, tax_minor, tax_category, tax_reason)
      select placed.id, line.position, item.description, item.quantity, item.unit, item.unit_price, item.amount_minor,
        item.from_at, item.to_at, item.proration, item.price_hourly, item.add_on, item.tax_rate, item.tax_minor,
        coalesce(item.tax_category, sold.tax_category, case when item.tax_rate = 0 then 'zero_rated' else 'standard' end),
        case when item.tax_category is null then sold.tax_reason else item.tax_reason end
      from placed,
        jsonb_array_elements(${json}::text::jsonb) with ordinality as line (value, position),
        jsonb_to_record(line.value) as item (description text, quantity int, unit text, unit_price text,
          amount_minor bigint, from_at timestamptz, to_at timestamptz, proration boolean, price_hourly text, add_on text, tax_rate numeric,
          tax_minor bigint, tax_category text, tax_reason text)
        left join lateral (
          select past.tax_category, past.tax_reason from order_lines past join orders on orders.id = past.order_id
          where orders.vm_id = ${order.vm_id} and orders.status = 'completed' and past.amount_minor >= 0
            and past.tax_rate = item.tax_rate and item.tax_category is null and ${isSameItem(sql`past`, sql`item`)}
          order by ${row.deposit_minor !== null} and ${isDeposit(sql`past`)} desc, orders.id desc, past.position desc limit 1
        ) as sold on true`,
  );
  return row;
}

/**
 * Returns a pending order; undefined if it is already settled, so that settling twice is harmless. The caller must hold
 * the wallet's lock, without which no order is settled.
 */
export function findPendingOrder(db: Queryable, id: string): Promise<OrderRow | undefined> {
  return maybeOne<OrderRow>(
    db,
    sql`select ${orderColumns} from orders where id = ${id} and status = 'pending'`,
  );
}

export interface Settlement {
  status: 'completed' | 'failed';
  /** The draft that it is listed on, and the wallet's available amount after it; null if the order failed. */
  invoiceId: string | null;
  balanceAfterMinor: bigint | null;
  at: Date;
}

/** Settles a pending order and returns it; the database refuses any later change to it. */
export async function settleOrder(db: Queryable, order: OrderRow, settlement: Settlement): Promise<OrderRow> {
  const { status, invoiceId, balanceAfterMinor, at } = settlement;
  await execute(
    db,
    sql`update orders set status = ${status}, invoice_id = ${invoiceId},
      balance_after_minor = ${balanceAfterMinor}::bigint, settled_at = ${at} where id = ${order.id}`,
  );
  return { ...order, status, invoice_id: invoiceId, balance_after_minor: balanceAfterMinor, settled_at: at };
}

export interface OrderFilter {
  vm_id?: string;
  kind?: OrderKind;
}

export function listOrders(
  db: Queryable,
  accountId: string,
  filter: OrderFilter,
  page: Page,
): Promise<OrderRow[]> {
  // Compared outside of {@link ifGiven}, so that the index on it can be used.
  const ofVm = filter.vm_id === undefined ? sql`true` : sql`vm_id = ${filter.vm_id}`;
  return db.query<OrderRow>(sql`
    select ${orderColumns} from orders where account_id = ${accountId} and ${ofVm}
      and ${ifGiven(filter.kind, (kind) => sql`kind = ${kind}`)} ${pageOf(sql`id`, page)}`);
}

/** A completed order, and the number of the invoice that lists it; null until that is issued. */
export interface ChargeRow extends OrderRow {
  invoice_number: string | null;
}

/** Returns a VM's latest completed orders: its charges and refunds. */
export function completedOrdersOfVm(db: Queryable, vmId: string, limit: number): Promise<ChargeRow[]> {
  return db.query<ChargeRow>(sql`
    select ${orderColumns}, (select number from invoices where invoices.id = invoice_id) as invoice_number
    from orders where vm_id = ${vmId} and status = 'completed' order by id desc limit ${limit}`);
}

/** Returns the line that took a VM's latest deposit. */
export function lastDepositOf(
  db: Queryable,
  vmId: string,
): Promise<Pick<OrderLineRow, 'from_at' | 'to_at' | 'tax_rate'>> {
  return one(
    db,
    sql`
    select from_at, to_at, tax_rate from order_lines line join orders on orders.id = order_id
    where vm_id = ${vmId} and status = 'completed' and ${isDeposit(sql`line`)} and line.amount_minor >= 0
    order by settled_at desc, orders.id desc, position desc limit 1`,
  );
}

export interface OrderTotals {
  charged_minor: bigint;
  /** Positive. */
  refunded_minor: bigint;
}

/** Returns how much a VM was charged and refunded over its whole life. A deposit that is released was never charged. */
export function orderTotalsOfVm(db: Queryable, vmId: string): Promise<OrderTotals> {
  return one<OrderTotals>(
    db,
    sql`
    select coalesce(sum(sold) filter (where sold > 0), 0)::bigint as charged_minor,
      coalesce(-sum(sold) filter (where sold < 0), 0)::bigint as refunded_minor
    from orders, lateral (select amount_minor - coalesce(deposit_minor, 0) as sold) as part where vm_id = ${vmId} and status = 'completed'`,
  );
}

/**
 * Returns charges minus refunds, without deposits, of the orders that completed from `startAt` until before `endAt`.
 */
export async function netOfOrders(
  db: Queryable,
  accountId: string,
  period: { startAt: Date; endAt: Date },
): Promise<bigint> {
  const { net } = await one<{ net: bigint }>(
    db,
    sql`
    select coalesce(sum(amount_minor - coalesce(deposit_minor, 0)), 0)::bigint as net from orders
    where account_id = ${accountId} and status = 'completed'
      and settled_at >= ${period.startAt} and settled_at < ${period.endAt}`,
  );
  return net;
}
