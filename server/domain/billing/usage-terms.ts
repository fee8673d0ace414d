import type { Transaction } from '../../db/database.ts';
import {
  insertReading,
  type MeteredVm,
  readMeter,
  type UsageReading,
} from '../../db/queries/money/meters.ts';
import type { VmChange, VmRow } from '../../db/queries/vms/vms.ts';
import type { SalesCatalog } from '../catalog/buyer-prices.ts';
import type { DueMonth } from './arrears.ts';
import { max } from './money.ts';
import { hasPrice, isLimited, meterAt, type StretchUsage, usagePrices } from './usage.ts';
import { sentAhead } from './used-ahead.ts';

/** The fields that determine the terms of a VM's usage. */
type Sold = Pick<VmRow, 'plan' | 'bandwidth_gb'>;
type Remembered = Pick<VmChange, 'usage_priced' | 'traffic_notices'>;

/** Unlimited free traffic includes no volume. Traffic with a volume but no price is throttled or stopped at its end. */
function readingOf(catalog: SalesCatalog, sold: Sold, from_at: Date, out_bytes: bigint): UsageReading {
  const prices = usagePrices(catalog, sold.plan);
  const ends = prices.traffic_price !== null || isLimited(catalog, sold);
  return { from_at, out_bytes, included_gb: ends ? sold.bandwidth_gb : null, ...prices };
}

/** Records the terms of a VM bought now. Returns the changes to its row. */
export async function beginUsage(
  tx: Transaction,
  catalog: SalesCatalog,
  vm: Pick<VmRow, 'id' | 'account_id'> & Sold,
  at: Date,
): Promise<Remembered> {
  const reading = readingOf(catalog, vm, at, 0n);
  if (!hasPrice(reading) && !isLimited(catalog, vm)) return {};
  await insertReading(tx, vm, reading, null);
  return { usage_priced: true };
}

/**
 * Records the terms of a VM that becomes `sold` within its period: earlier traffic counts under the old terms, and the
 * included volume is made up of both, each for its time. The price of snapshots stays until the period ends. Returns
 * the changes to the VM's row.
 */
export async function changeUsage(
  tx: Transaction,
  catalog: SalesCatalog,
  vm: VmRow,
  sold: Sold,
  at: Date,
): Promise<Remembered> {
  if (!vm.usage_priced && !isLimited(catalog, sold) && !hasPrice(usagePrices(catalog, sold.plan))) return {};
  const meter = await readMeter(tx, vm.id);
  const { readings, out_bytes } = meter;
  const now = vm.usage_priced ? readings.at(-1) : undefined;
  const { snapshot_price: _, ...reading } = readingOf(
    catalog,
    sold,
    at,
    max(out_bytes, now?.out_bytes ?? 0n),
  );
  const next = { ...reading, snapshot_price: now?.snapshot_price ?? null };
  if (!now && !hasPrice(next) && !isLimited(catalog, sold)) return {};
  // Traffic sent ahead of time under terms that throttle counts under terms that bill; otherwise a change of plan would
  // give a month's volume for one day's price.
  if (now && next.traffic_price !== null) next.out_bytes -= max(sentAhead({ ...vm, meter }, at), 0n);
  if (now && next.included_gb === now.included_gb && samePrice(next.traffic_price, now.traffic_price))
    return {};
  await insertReading(tx, vm, next, null);
  return { usage_priced: true };
}

const samePrice = (a: string | null, b: string | null) =>
  a === b || (a !== null && b !== null && Number(a) === Number(b));

/**
 * Settles the usage charged by the orders of some months: each month's terms begin where its usage was read. Returns
 * the changes to the VM's row.
 */
export async function renewUsage(
  tx: Transaction,
  catalog: SalesCatalog,
  vm: MeteredVm,
  months: (DueMonth & { order_id: string })[],
  now: Date,
): Promise<Remembered> {
  const priced = hasPrice(usagePrices(catalog, vm.plan)) || isLimited(catalog, vm);
  if (!priced && !vm.usage_priced) return {};
  const meter = vm.meter ?? (await readMeter(tx, vm.id));
  const isRecovery = vm.suspended_at !== null;
  for (const { period, usage, order_id } of months) {
    const bytes = usage.at(-1)?.meter_bytes ?? meterAt(meter, isRecovery ? null : period.startAt, now);
    await insertReading(tx, vm, readingOf(catalog, vm, period.startAt, bytes), order_id);
  }
  return { usage_priced: priced, traffic_notices: 0 };
}

/** Reads the meter at the end of an unpaid period, so that a payment on any later day starts the next period there. */
export async function readUnpaid(tx: Transaction, vm: MeteredVm, now: Date): Promise<void> {
  if (!vm.usage_priced) return;
  const { readings } = vm.meter!;
  const from_at = vm.billing_period_end_at;
  const out_bytes = max(meterAt(vm.meter!, from_at, now), readings[0]!.out_bytes);
  await insertReading(tx, vm, { ...readings.at(-1)!, from_at, out_bytes }, null);
}

/** Records the last reading of a VM that is given up; `orderId` has charged its usage. */
export async function endUsage(
  tx: Transaction,
  vm: MeteredVm,
  usage: StretchUsage[],
  orderId: string | null,
  at: Date,
): Promise<void> {
  const last = usage.at(-1);
  const out_bytes = last?.meter_bytes ?? vm.meter!.out_bytes;
  const free = { included_gb: null, traffic_price: null, snapshot_price: null };
  await insertReading(tx, vm, { from_at: at, out_bytes, ...free }, orderId);
}
