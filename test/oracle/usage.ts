import type { Line, Meter, Terms, Vm } from './account.ts';
import { monthFrom, type Span } from './calendar.ts';
import { type Charge, line } from './lines.ts';
import { unitPrice } from './net-prices.ts';
import { plain, Rational } from './rational.ts';
import { findPlan, nameOf, type PriceList, type Product, unit } from './tariff.ts';

/** Charges for usage: traffic and snapshots. */

const GB = 10n ** 9n;

/** A span whose usage is charged together: a month or a part of one. */
export interface Stretch {
  span: Span;
  month: Span;
  /** Counts everything metered so far, not only the traffic until the span's end. */
  all: boolean;
}

/** The usage in a stretch, and its amounts. */
export interface Use {
  lines: Line[];
  /** The meter's reading at the end of the stretch. */
  read: bigint;
  used: bigint;
  /** Null if all of it was free or unmetered. */
  included: bigint | null;
  over: bigint;
  /** Traffic sent and included under terms that throttle instead of charging; null if there were none. */
  ending: { used: bigint; included: bigint } | null;
  traffic: bigint;
  /** In millionths. */
  gbMonths: bigint;
  snapshots: bigint;
}

export const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10);

/**
 * A VM's traffic until the end of a month, or in total. At the end of an unpaid month it is the reading at that time;
 * otherwise it includes that day only while the day lasts.
 */
export function sent({ days, unpaid }: Meter, until: number | null, now: number): bigint {
  if (until !== null && unpaid?.at === until) return unpaid.read;
  const isThatDay = until !== null && dateOf(now) <= dateOf(until);
  const counted = [...days].filter(([date]) => until === null || isThatDay || date < dateOf(until));
  return counted.reduce((total, [, bytes]) => total + bytes, 0n);
}

const price = (decimal: string | undefined, { share }: PriceList) =>
  decimal === undefined ? null : unitPrice(Rational.parse(decimal), share);

/** Today's terms for a VM's usage from an instant on. */
export function termsOf({ plan, bandwidth }: Product, list: PriceList, from: number, read: bigint): Terms {
  const own = plan === null ? list.custom : findPlan(list, plan);
  const ends = endOf(plan, list) !== null;
  const traffic = ends ? null : price(own?.traffic_per_gb ?? list.usage?.traffic_per_gb, list);
  return {
    from,
    read,
    included: ends || traffic ? bandwidth : null,
    traffic,
    snapshots: price(list.usage?.snapshot_gb_month, list),
  };
}

/** The speed in Mbit/s of a plan or parts after their traffic is used up; null if traffic is billed or free. */
export function endOf(plan: string | null, list: PriceList): bigint | null {
  const own = plan === null ? list.custom : findPlan(list, plan);
  const action = own?.at_included ?? list.usage?.at_included ?? 'bill';
  if (action === 'bill') return null;
  return action === 'stop' ? 0n : BigInt(own?.throttle_mbps ?? list.usage!.throttle_mbps!);
}

/** For the rest of its month, a VM's usage is charged as another product's; the price of snapshots stays. */
export function changeTerms(vm: Vm, list: PriceList, at: number): void {
  const { snapshots } = vm.meter.terms.at(-1)!;
  const next = { ...termsOf(vm.product, list, at, sent(vm.meter, null, at)), snapshots };
  // Traffic sent ahead of time under terms without a price is charged at the new price.
  if (next.traffic) next.read -= aheadUntil(vm, at, list);
  vm.meter.terms.push(next);
}

/** The traffic that a VM has sent beyond its share of the elapsed time, under terms that throttle. */
function aheadUntil(vm: Vm, at: number, list: PriceList): bigint {
  const { ending } = usedIn(vm, running(vm), at, list)[0]!;
  const now = vm.meter.terms.at(-1)!;
  const rest = now.traffic ? 0n : restOfVolume(vm, now.included ?? 0n, at);
  const ahead = ending ? ending.used - ending.included + rest : 0n;
  return ahead > 0n ? ahead : 0n;
}

/** The share of a monthly volume (in GB) for the rest of a VM's month, in whole bytes. */
export function restOfVolume({ paid }: Vm, gb: bigint, at: number): bigint {
  const rest = paid.to - Math.min(Math.max(at, paid.from), paid.to);
  return new Rational(gb * GB * BigInt(rest), BigInt(paid.to - paid.from)).floor();
}

/** The running month: its usage so far is charged at its end. */
export const running = ({ paid }: Vm): Stretch[] => [{ span: paid, month: paid, all: true }];

/** The months that ended before an instant, and the part of the last one until then. */
export function monthsUntil(vm: Vm, end: number): Stretch[] {
  const months: Stretch[] = [];
  let month = vm.paid;
  for (; month.to < end; month = monthFrom(month.to, vm.day)) months.push({ span: month, month, all: false });
  return [...months, { span: { from: month.from, to: Math.max(end, month.from) }, month, all: true }];
}

/** Returns a VM's usage in consecutive stretches. */
export function usedIn(vm: Vm, stretches: Stretch[], now: number, list: PriceList): Use[] {
  let { read } = vm.meter.terms[0]!;
  return stretches.map((stretch) => {
    const until = sent(vm.meter, stretch.all ? null : stretch.span.to, now);
    const to = until > read ? until : read;
    const used = useOf(vm, stretch, { from: read, to }, now, list);
    read = to;
    return used;
  });
}

function useOf(
  vm: Vm,
  stretch: Stretch,
  bytes: { from: bigint; to: bigint },
  now: number,
  list: PriceList,
): Use {
  const { span, month } = stretch;
  const length = BigInt(month.to - month.from);
  const parts = partsOf(vm.meter, span, bytes);
  const metered = parts.filter(({ terms }) => terms.included !== null && terms.traffic !== null);
  const used = metered.reduce((total, part) => total + part.bytes, 0n);
  const time = metered.reduce((total, part) => total + part.time, 0n);
  const shares = (of: typeof parts) =>
    Rational.sum(of.map((part) => new Rational(part.terms.included! * GB * part.time, length)));
  const included = shares(metered);
  const ending = parts.filter(({ terms }) => terms.included !== null && terms.traffic === null);
  // The mean of the prices, weighted by time.
  const mean =
    time === 0n
      ? Rational.zero
      : Rational.sum(metered.map((part) => part.terms.traffic!.times(new Rational(part.time, time))));
  const beyond = new Rational(used).minus(included);
  const over = beyond.exceeds(Rational.zero) ? beyond : Rational.zero;
  const minor = unit(list.currency).over(new Rational(GB));
  const traffic = over.times(mean).times(minor).round();

  const stored = Rational.sum(
    vm.meter.snapshots.map(({ bytes, from, until }) => {
      const end = Math.min(until ?? now, span.to, now);
      return new Rational(bytes * BigInt(Math.max(0, end - Math.max(from, span.from))), length);
    }),
  );
  const each = parts[0]?.terms.snapshots ?? null;
  const snapshots = each === null ? 0n : stored.times(each).times(minor).round();
  const gbMonths = each === null ? 0n : stored.over(new Rational(1000n)).round();

  const name = nameOf(vm.product, list);
  const of = { taxed: list.taxed, span, proration: false };
  const lines: Line[] = [];
  if (traffic > 0n) {
    const description = `Traffic of ${name}: ${gigabytes(used)} GB, ${gigabytes(included.floor())} GB included`;
    const quantity = over.over(new Rational(GB)).ceil();
    const unit_price = plain(mean.toDecimal(6));
    lines.push(line({ ...of, description, quantity, unit: 'GB', unit_price, amount: traffic }));
  }
  if (snapshots > 0n) {
    const description = `Snapshots of ${name}: ${plain(new Rational(gbMonths, 10n ** 6n).toDecimal(6))} GB-months`;
    const quantity = stored.over(new Rational(GB)).ceil();
    const unit_price = plain(each!.toDecimal(6));
    lines.push(line({ ...of, description, quantity, unit: 'GB-month', unit_price, amount: snapshots }));
  }
  const counted = metered.length === 0 ? null : included.floor();
  const figures = { used, included: counted, over: over.ceil(), traffic, gbMonths, snapshots };
  const slowed = {
    used: ending.reduce((total, part) => total + part.bytes, 0n),
    included: shares(ending).floor(),
  };
  return { lines, read: bytes.to, ...figures, ending: ending.length === 0 ? null : slowed };
}

/** Splits a stretch by terms, each part with its milliseconds and its bytes. */
function partsOf({ terms }: Meter, span: Span, { from, to }: { from: bigint; to: bigint }) {
  const first = terms.findLast((one) => one.from <= span.from);
  const inside = terms.filter((one) => one.from > span.from && one.from < span.to);
  const all = [...(first ? [{ ...first, from: span.from, read: from }] : []), ...inside];
  // Bytes that this stretch does not count fall into the next one, whatever the meter read at a change.
  const least = (bytes: bigint) => (bytes < to ? bytes : to);
  return all.map((one, index) => {
    const next = all[index + 1];
    const bytes = least(next?.read ?? to) - least(one.read);
    const time = BigInt(Math.max(0, (next?.from ?? span.to) - one.from));
    return { terms: one, bytes: bytes > 0n ? bytes : 0n, time };
  });
}

const gigabytes = (bytes: bigint) => plain(new Rational(bytes, GB).toDecimal(6));

export const amountOf = (use: Use[]) =>
  use.reduce((total, { traffic, snapshots }) => total + traffic + snapshots, 0n);

/**
 * Returns the part of a refund that a VM forgoes when it becomes another product or is deleted (null): the share of the
 * given-up traffic that it has already sent.
 */
export function keptForTraffic(
  vm: Vm,
  to: Product | null,
  now: number,
  list: PriceList,
  { total }: Charge,
): bigint {
  const terms = vm.meter.terms.at(-1)!;
  if (total >= 0n || terms.included === null || terms.traffic) return 0n;
  if (to && (to.bandwidth === null || endOf(to.plan, list) === null)) return 0n;
  const { ending } = usedIn(vm, running(vm), now, list)[0]!;
  const rest = (gb: bigint) => restOfVolume(vm, gb, now);
  const givenUp = rest(terms.included) - rest(to?.bandwidth ?? 0n);
  const left = ending!.included - givenUp;
  const over = ending!.used - left;
  if (over <= 0n) return 0n;
  if (givenUp <= 0n || over >= givenUp) return -total;
  return new Rational(-total * over, givenUp).ceil();
}
