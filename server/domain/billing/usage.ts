import type { Meter, MeteredVm, StoredSnapshot, UsageReading } from '../../db/queries/money/meters.ts';
import { isoDate } from '../../db/queries/vms/bandwidth.ts';
import type { SalesCatalog } from '../catalog/buyer-prices.ts';
import type { Catalog } from '../catalog/catalog-schema.ts';
import { findPlan } from '../catalog/lookup.ts';
import { trafficEnd } from '../catalog/traffic-end.ts';
import { type ChargeLine, lineOf, type Terms } from './charge-line.ts';
import {
  currencyExponent,
  divideRoundHalfUp,
  divideRoundUp,
  formatMicros,
  max,
  min,
  parseMicros,
} from './money.ts';
import type { Period } from './period.ts';
import type { Stretch } from './usage-stretches.ts';

/** Traffic and snapshots are sold in decimal gigabytes. */
export const BYTES_PER_GB = 1_000_000_000n;
const MICROS = 1_000_000n;

/** Prices of usage, as decimals in major units; null means free. */
export type UsagePrices = Pick<UsageReading, 'traffic_price' | 'snapshot_price'>;

/** Returns today's usage prices for a VM of `plan`, or of a custom size (null). */
export function usagePrices(catalog: SalesCatalog, plan: string | null): UsagePrices {
  const { traffic_per_gb } = (plan === null ? catalog.custom : findPlan(catalog, plan)) ?? {};
  const isBilled = trafficEnd(catalog, plan).action === 'bill';
  return {
    traffic_price: isBilled ? (traffic_per_gb ?? catalog.usage?.traffic_per_gb ?? null) : null,
    snapshot_price: catalog.usage?.snapshot_gb_month ?? null,
  };
}

export function hasPrice({ traffic_price, snapshot_price }: UsagePrices): boolean {
  return traffic_price !== null || snapshot_price !== null;
}

/**
 * Returns whether a VM is throttled or stopped when its included traffic is used up, so that its meter is also read
 * without a price.
 */
export function isLimited(
  catalog: Catalog,
  { plan, bandwidth_gb }: Pick<MeteredVm, 'plan' | 'bandwidth_gb'>,
): boolean {
  return bandwidth_gb !== null && trafficEnd(catalog, plan).action !== 'bill';
}

/** The usage of a stretch. Amounts include tax and are each rounded once. */
export interface StretchUsage {
  /** The meter's reading at the end of the stretch. */
  meter_bytes: bigint;
  used_bytes: bigint;
  /** Null if all traffic was unmetered or free. */
  included_bytes: bigint | null;
  overage_bytes: bigint;
  /** Traffic of the time in which it ended in a throttle or a stop; null if there was none. */
  unbilled: { used_bytes: bigint; included_bytes: bigint } | null;
  traffic_minor: bigint;
  /** Millionths of a GB-month. */
  gb_month_micros: bigint;
  snapshots_minor: bigint;
  lines: ChargeLine[];
}

/**
 * Returns the bytes that a VM had sent by the end of a period, or in total (null). Daily totals have no time of day: a
 * reading taken exactly at that end counts, or one taken on the same day. On later days, only the days before count.
 */
export function meterAt({ out_bytes, days, readings }: Meter, end: Date | null, now: Date): bigint {
  if (end === null) return out_bytes;
  const read = readings.findLast(({ from_at }) => from_at.getTime() === end.getTime());
  if (read) return read.out_bytes;
  const date = isoDate(end);
  if (isoDate(now) <= date) return out_bytes;
  return days.filter((day) => day.date >= date).reduce((left, day) => left - day.out_bytes, out_bytes);
}

/** Returns the VM's meter; undefined if its usage has no price. */
function meterOf(vm: MeteredVm): Meter | undefined {
  // Usage with a price must never be free because the meter was not read.
  if (vm.usage_priced && !vm.meter) throw new Error(`the meter of ${vm.id} was not read`);
  return vm.usage_priced ? vm.meter : undefined;
}

/** Returns a VM's usage in each of some consecutive stretches, the first of which begins with its period. */
export function usageOf(
  vm: MeteredVm,
  stretches: Stretch[],
  now: Date,
  name: string,
  terms: Terms,
): StretchUsage[] {
  const meter = meterOf(vm);
  if (!meter) return [];
  let before = meter.readings[0]!.out_bytes;
  return stretches.map((stretch) => {
    const end = max(before, meterAt(meter, stretch.traffic === 'all' ? null : stretch.endAt, now));
    const usage = usageIn(meter, stretch, { from: before, to: end }, now, name, terms);
    before = end;
    return usage;
  });
}

function usageIn(
  meter: Meter,
  stretch: Stretch,
  bytes: { from: bigint; to: bigint },
  now: Date,
  name: string,
  terms: Terms,
): StretchUsage {
  const month = milliseconds(stretch.month.startAt, stretch.month.endAt);
  const parts = partsOf(meter.readings, stretch, bytes);
  const metered = parts.filter(({ terms }) => terms.included_gb !== null && terms.traffic_price !== null);
  const used = metered.reduce((sum, part) => sum + part.bytes, 0n);
  const time = metered.reduce((sum, part) => sum + part.time, 0n);
  // Bytes times milliseconds of the month, so that nothing is rounded before the amount.
  const includedTime = includedIn(metered);
  const unbilled = parts.filter(({ terms }) => terms.included_gb !== null && terms.traffic_price === null);
  const overTime = max(used * month - includedTime, 0n);
  const priceTime = metered.reduce(
    (sum, part) => sum + parseMicros(part.terms.traffic_price!) * part.time,
    0n,
  );
  const unit = 10n ** BigInt(currencyExponent(terms.currency));
  const traffic_minor =
    time === 0n ? 0n : divideRoundHalfUp(overTime * priceTime * unit, month * time * BYTES_PER_GB * MICROS);

  const byteTime = meter.snapshots.reduce((sum, one) => sum + byteTimeIn(one, stretch, now), 0n);
  const snapshotPrice = parts[0]?.terms.snapshot_price ?? null;
  const snapshots_minor =
    snapshotPrice === null
      ? 0n
      : divideRoundHalfUp(byteTime * parseMicros(snapshotPrice) * unit, BYTES_PER_GB * month * MICROS);

  const lines: ChargeLine[] = [];
  const usage: StretchUsage = {
    meter_bytes: bytes.to,
    used_bytes: used,
    included_bytes: metered.length === 0 ? null : includedTime / month,
    overage_bytes: divideRoundUp(overTime, month),
    unbilled:
      unbilled.length === 0
        ? null
        : {
            used_bytes: unbilled.reduce((sum, part) => sum + part.bytes, 0n),
            included_bytes: includedIn(unbilled) / month,
          },
    traffic_minor,
    gb_month_micros: snapshotPrice === null ? 0n : divideRoundHalfUp(byteTime * MICROS, BYTES_PER_GB * month),
    snapshots_minor,
    lines,
  };
  if (traffic_minor > 0n) {
    const description = `Traffic of ${name}: ${gigabytes(used)} GB, ${gigabytes(includedTime / month)} GB included`;
    const quantity = divideRoundUp(overTime, month * BYTES_PER_GB);
    const price = divideRoundHalfUp(priceTime, time);
    lines.push(usageLine(description, quantity, 'GB', price, traffic_minor, stretch, terms));
  }
  if (snapshots_minor > 0n) {
    const description = `Snapshots of ${name}: ${decimal(usage.gb_month_micros)} GB-months`;
    const quantity = divideRoundUp(byteTime, BYTES_PER_GB * month);
    const price = parseMicros(snapshotPrice!);
    lines.push(usageLine(description, quantity, 'GB-month', price, snapshots_minor, stretch, terms));
  }
  return usage;
}

export function usageMinor(stretches: StretchUsage[]): bigint {
  return stretches.reduce((sum, used) => sum + used.traffic_minor + used.snapshots_minor, 0n);
}

/** A part of a stretch with the same terms. */
interface Part {
  terms: UsageReading;
  bytes: bigint;
  /** In milliseconds. */
  time: bigint;
}

/** Returns the included volume of parts, in bytes times milliseconds of the month. */
function includedIn(parts: Part[]): bigint {
  return parts.reduce((sum, { terms, time }) => sum + BigInt(terms.included_gb!) * BYTES_PER_GB * time, 0n);
}

function partsOf(
  readings: UsageReading[],
  { startAt, endAt }: Period,
  bytes: { from: bigint; to: bigint },
): Part[] {
  const inside = readings.filter(({ from_at }) => from_at > startAt && from_at < endAt);
  const first = readings.findLast(({ from_at }) => from_at <= startAt);
  // Without terms before the first of them, earlier traffic has no price and is free.
  const starts = first ? [{ ...first, from_at: startAt, out_bytes: bytes.from }, ...inside] : inside;
  // A reading taken on the last day may include traffic that counts in the next stretch.
  const counted = (read: bigint) => min(read, bytes.to);
  return starts.map((terms, index) => {
    const next = starts[index + 1];
    return {
      terms,
      bytes: max(counted(next?.out_bytes ?? bytes.to) - counted(terms.out_bytes), 0n),
      time: milliseconds(terms.from_at, next?.from_at ?? endAt),
    };
  });
}

function byteTimeIn(
  { size_bytes, from_at, until_at }: StoredSnapshot,
  { startAt, endAt }: Period,
  now: Date,
): bigint {
  const from = Math.max(from_at.getTime(), startAt.getTime());
  const until = Math.min((until_at ?? now).getTime(), endAt.getTime(), now.getTime());
  return size_bytes * BigInt(Math.max(0, until - from));
}

function usageLine(
  description: string,
  quantity: bigint,
  unit: 'GB' | 'GB-month',
  priceMicros: bigint,
  amount: bigint,
  service: Period,
  terms: Terms,
): ChargeLine {
  const of = { description, unit, quantity: Number(quantity), unit_price: decimal(priceMicros) };
  return lineOf(of, amount, terms, service, false);
}

const milliseconds = (from: Date, to: Date) => BigInt(Math.max(0, to.getTime() - from.getTime()));
/** Formats micros as a decimal without trailing zeros. */
const decimal = (micros: bigint) => formatMicros(micros).replace(/\.?0+$/, '');
/** Formats bytes in GB, to the kilobyte. */
const gigabytes = (bytes: bigint) => decimal(divideRoundHalfUp(bytes, BYTES_PER_GB / MICROS));
