import { isoDate } from '../../db/queries/bandwidth.ts';
import type { Meter, MeteredVm, StoredSnapshot, UsageReading } from '../../db/queries/meters.ts';
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

/** Prices of what is charged by use, decimals in major units; null is free. */
export type UsagePrices = Pick<UsageReading, 'traffic_price' | 'snapshot_price'>;

/** Today's prices of what a VM of `plan`, or of a custom size (null), uses. */
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

/** Whether the included traffic of a VM ends in a throttle or a stop, so that its meter is read without a price, too. */
export function isLimited(
  catalog: Catalog,
  { plan, bandwidth_gb }: Pick<MeteredVm, 'plan' | 'bandwidth_gb'>,
): boolean {
  return bandwidth_gb !== null && trafficEnd(catalog, plan).action !== 'bill';
}

/** What a stretch comes to. Amounts include tax and are rounded once each. */
export interface StretchUsage {
  /** What the meter read at its end. */
  meter_bytes: bigint;
  used_bytes: bigint;
  /** Null where all of it was unmetered, or free. */
  included_bytes: bigint | null;
  overage_bytes: bigint;
  /** The same of the time in which traffic ended in a throttle or a stop; null where there was none. */
  unbilled: { used_bytes: bigint; included_bytes: bigint } | null;
  traffic_minor: bigint;
  /** Millionths of a GB-month. */
  gb_month_micros: bigint;
  snapshots_minor: bigint;
  lines: ChargeLine[];
}

/**
 * Returns what a VM had sent by the end of a period, or in all (null). Days do not say at what time of them: what was read
 * at that end counts, or what is read on the same day. Later than that, only the days before count.
 */
export function meterAt({ out_bytes, days, readings }: Meter, end: Date | null, now: Date): bigint {
  if (end === null) return out_bytes;
  const read = readings.findLast(({ from_at }) => from_at.getTime() === end.getTime());
  if (read) return read.out_bytes;
  const date = isoDate(end);
  if (isoDate(now) <= date) return out_bytes;
  return days.filter((day) => day.date >= date).reduce((left, day) => left - day.out_bytes, out_bytes);
}

/** The VM's meter; without one nothing it uses has a price. */
function meterOf(vm: MeteredVm): Meter | undefined {
  // What has a price must never be free because the meter was not read.
  if (vm.usage_priced && !vm.meter) throw new Error(`the meter of ${vm.id} was not read`);
  return vm.usage_priced ? vm.meter : undefined;
}

/** What a VM has used in each of some stretches that follow each other, the first from its period's start. */
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

/** What some stretches come to together. */
export function usageMinor(stretches: StretchUsage[]): bigint {
  return stretches.reduce((sum, used) => sum + used.traffic_minor + used.snapshots_minor, 0n);
}

/** A part of a stretch under the same terms. */
interface Part {
  terms: UsageReading;
  bytes: bigint;
  /** Milliseconds. */
  time: bigint;
}

/** What parts include, in bytes times milliseconds of the month. */
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
  // Where it had no price before the first of them, what was sent until then is free.
  const starts = first ? [{ ...first, from_at: startAt, out_bytes: bytes.from }, ...inside] : inside;
  // A meter that was read on the last day has seen what counts in the next stretch.
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
/** Micros as a decimal without trailing zeros. */
const decimal = (micros: bigint) => formatMicros(micros).replace(/\.?0+$/, '');
/** Bytes in GB, to the kilobyte. */
const gigabytes = (bytes: bigint) => decimal(divideRoundHalfUp(bytes, BYTES_PER_GB / MICROS));
