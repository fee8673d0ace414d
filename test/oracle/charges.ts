import { hourOf, type Line, sum, type Vm } from './account.ts';
import { type AddedMonth, type HeldAddOn, nextMonths, recoveredMonth, refundLines } from './add-ons.ts';
import { dayOf, monthFrom, restOf, type Span, seconds } from './calendar.ts';
import { type Charge, chargeOf, line } from './lines.ts';
import { asSold, comingMonths, renews } from './prices.ts';
import { Rational } from './rational.ts';
import { hourText, majorUnits, nameOf, type PriceList, type Product, unit } from './tariff.ts';
import { keptForTraffic, monthsUntil, type Use, usedIn } from './usage.ts';

const HOUR = 3_600_000;
/** As in the shipped catalog. */
export const GRACE = { suspendAfter: 72 * HOUR, heldFor: 72 * HOUR, deleteAfter: 14 * 24 * HOUR };

/** A charge that sells a month or the rest of one. */
export interface Sale extends Charge {
  leftover: Rational;
  /** Since when hours are counted; null if billed monthly. */
  hoursSince: number | null;
  /** The part of the charge that is held and not sold; null if billed monthly. */
  deposit: bigint | null;
}

const monthAt = ({ price }: Product, { currency }: PriceList) => ({
  unit_price: majorUnits(price, currency),
});
const hoursAt = (hour: Rational, { currency }: PriceList) => ({
  unit: 'hour',
  unit_price: hourText(hour, currency),
});

/** A whole month of a product at today's tax; hourly if requested and offered. */
export function monthCharge(
  product: Product,
  span: Span,
  list: PriceList,
  mode: Vm['nextMode'] = 'monthly',
): Sale {
  const { price: amount, hour } = product;
  const byTheHour = mode === 'hourly' && hour !== null;
  const description = byTheHour ? `Deposit for ${nameOf(product, list)}` : nameOf(product, list);
  const price_hourly = byTheHour ? hourText(hour, list.currency) : null;
  const month = { description, amount, taxed: list.taxed, span, price_hourly, proration: false };
  const unit = byTheHour ? 'deposit' : 'month';
  const hoursSince = byTheHour ? span.from : null;
  return {
    ...chargeOf([line({ ...month, unit, ...monthAt(product, list) })]),
    leftover: Rational.zero,
    hoursSince,
    deposit: byTheHour ? amount : null,
  };
}

/** Returns the unused part of a paid span: all of it if the clock was set back to before it began. */
const restFrom = ({ from, to }: Span, now: number): Span => ({ from: Math.max(from, Math.min(now, to)), to });

/** Returns the price of `time` seconds at an hourly price, in minor units. */
const worthOf = (hour: Rational, time: bigint, list: PriceList) =>
  hour.times(unit(list.currency)).times(new Rational(time, 3600n));

/** The amount paid since hours were last counted, and how much of it `time` has used up, at most all of it. */
function hoursUsed({ product, paid, hoursSince }: Vm, time: bigint, now: number, list: PriceList) {
  const deposit = new Rational(product.price).times(restOf(paid, hoursSince!));
  const used = worthOf(product.hour!, time, list);
  return { deposit, used: now >= paid.to ? deposit : Rational.least(used, deposit) };
}

/**
 * Returns the lines that release a deposit and sell its part used until `now`, including the leftover of earlier
 * changes, and the new leftover.
 */
function settleHours(vm: Vm, now: number, list: PriceList, hours: bigint | null) {
  const { product, paid, taxed } = vm;
  const deposit = vm.deposit!;
  const time = hours === null ? seconds(vm.hoursSince!, now) : hours * 3600n;
  const owed = hoursUsed(vm, time, now, list).used.plus(vm.leftover);
  const rounded = owed.round() > 0n ? owed.round() : 0n;
  const sold = rounded < deposit ? rounded : deposit;
  const name = nameOf(product, list);
  const held = restFrom(paid, vm.hoursSince!);
  const served = { from: held.from, to: Math.max(held.from, Math.min(now, paid.to)) };
  const release = { description: `Released deposit for ${name}`, amount: -deposit, taxed, span: held };
  const count = hours ?? 0n;
  const description =
    hours === null ? `Used time on ${name}` : `${name}, ${count} ${count === 1n ? 'hour' : 'hours'}`;
  const share = { quantity: hours ?? 1n, proration: hours === null, span: served };
  const lines = [
    line({ ...release, unit: 'deposit', proration: held.from > paid.from, ...monthAt(product, list) }),
    line({ description, amount: sold, taxed, ...hoursAt(product.hour!, list), ...share }),
  ];
  return { lines, left: owed.minus(new Rational(sold)) };
}

/** The part of a release that a correction, or traffic sent ahead of time, withholds is sold as a separate line. */
function keepSold(
  lines: Line[],
  whole: Charge,
  vm: Vm,
  to: Product | null,
  now: number,
  list: PriceList,
): { lines: Line[]; kept: bigint } {
  const credited = vm.refundable === null ? 0n : -whole.total - vm.refundable;
  const forTraffic = vm.deleting ? 0n : keptForTraffic(vm, to, now, list, whole);
  const amount = credited > forTraffic ? credited : forTraffic;
  if (whole.total >= 0n || amount <= 0n) return { lines, kept: 0n };
  const { taxed, span } = lines[0]!;
  const description = forTraffic > credited ? 'Traffic used ahead of time' : 'Use that was credited before';
  const sold = { description, amount, taxed, span, unit_price: majorUnits(amount, list.currency) };
  return { lines: [...lines, line({ ...sold, unit: 'adjustment', proration: false })], kept: amount };
}

/** A month that is over and sold has no rest to change: the quote shows a total of zero. */
function afterMonth({ product, paid, hoursSince, taxed }: Vm, to: Product, list: PriceList): Sale {
  const name = nameOf(product, list);
  const span = restFrom(paid, hoursSince!);
  const amount = new Rational(product.price).times(restOf(paid, hoursSince!)).round();
  const none = { from: paid.to, to: paid.to };
  const month = { unit: 'month', proration: span.from > paid.from, ...monthAt(product, list) };
  const price_hourly = to.hour && hourText(to.hour, list.currency);
  const rest = { description: `Remaining time on ${nameOf(to, list)}`, amount: 0n, taxed: list.taxed };
  const lines = [
    line({ description: `Unused month of ${name}`, amount: -amount, taxed, span, ...month }),
    line({ description: `Used time on ${name}`, amount, taxed, span, ...hoursAt(product.hour!, list) }),
    line({ ...rest, span: none, price_hourly, ...monthAt(to, list) }),
  ];
  return { ...chargeOf(lines), leftover: Rational.zero, hoursSince: paid.to, deposit: null };
}

/** With hourly billing, the usage so far is sold, and the rest of the month gets its own deposit. */
function changeHours(vm: Vm, to: Product, at: number, list: PriceList): Sale {
  const now = Math.max(at, vm.hoursSince!);
  if (vm.deposit === null) return afterMonth(vm, to, list);
  const { lines, left } = settleHours(vm, now, list, null);
  const most = new Rational(to.price).times(restOf(vm.paid, now)).plus(left).round();
  const deposit = most > 0n ? most : 0n;
  const fresh = line({
    description: `Deposit for the remaining time on ${nameOf(to, list)}`,
    amount: deposit,
    taxed: list.taxed,
    span: restFrom(vm.paid, now),
    unit: 'deposit',
    price_hourly: to.hour && hourText(to.hour, list.currency),
    ...monthAt(to, list),
  });
  const settled = keepSold(lines, chargeOf([...lines, fresh]), vm, to, at, list);
  const hoursSince = to.hour ? restFrom(vm.paid, now).from : null;
  const leftover = left.minus(new Rational(settled.kept));
  return { ...chargeOf([...settled.lines, fresh]), leftover, hoursSince, deposit };
}

/**
 * Changes the product for the rest of the month. The charge is the month's new worth to the second, less the amount
 * charged so far, rounded to the nearest unit. The rounding remainder is carried forward, and so is the amount that a
 * correction keeps from being refunded. If the clock was put back, hours are not counted again from the earlier
 * instant.
 */
export function changeCharge(vm: Vm, to: Product, at: number, list: PriceList): Sale {
  if (hourOf(vm) !== null) return changeHours(vm, to, at, list);
  const { product, paid } = vm;
  const now = vm.deleting ? paid.to : at;
  const rest = restOf(paid, now);
  const fresh = new Rational(to.price).times(rest);
  const open = new Rational(product.price).times(rest);
  const owed = fresh.minus(open).plus(vm.leftover);
  const net = owed.round();
  const credit = fresh.round() - net;
  const given = credit > 0n ? credit : 0n;
  const span = restFrom(paid, now);
  const unused = {
    description: `Unused time on ${nameOf(product, list)}`,
    taxed: vm.taxed,
    span,
    ...monthAt(product, list),
  };
  const remaining = {
    description: `Remaining time on ${nameOf(to, list)}`,
    amount: net + given,
    taxed: list.taxed,
  };
  const lines = [
    line({ ...unused, amount: -given }),
    line({ ...remaining, span, price_hourly: null, ...monthAt(to, list) }),
  ];
  const whole = chargeOf(lines);
  const charge = keepBack(whole, vm.refundable, keptForTraffic(vm, to, at, list, whole));
  const leftover = owed.minus(new Rational(charge.total));
  return { ...charge, leftover, hoursSince: null, deposit: null };
}

/**
 * Reduces a refund so that it is at most the amount left of the month after corrections, and includes nothing for
 * traffic that was already sent. The reduction is taken off the first line with a refund.
 */
function keepBack(charge: Charge, most: bigint | null, forTraffic: bigint): Charge {
  const over = most === null ? 0n : -charge.total - most;
  const kept = over > forTraffic ? over : forTraffic;
  if (charge.total >= 0n || kept <= 0n) return charge;
  const first = charge.lines.findIndex(({ amount }) => amount < 0n);
  const { tax: _, ...giving } = charge.lines[first]!;
  const less = line({ ...giving, amount: giving.amount + kept });
  return chargeOf(charge.lines.with(first, less));
}

/** Returns the sale of the same product again: its total is zero at any time. */
export function noChange(vm: Vm, list: PriceList): Sale {
  const still = { ...vm, leftover: Rational.zero, hoursSince: null, refundable: null };
  const { hoursSince, deposit } = vm;
  return { ...changeCharge(still, vm.product, vm.paid.to, list), hoursSince, deposit };
}

/** Returns the unused rest of the month of a VM that is deleted: rounded down, or by started hours. */
export function unusedOf(vm: Vm, at: number, list: PriceList): Charge {
  const { product, paid, taxed, leftover } = vm;
  // A VM that is already being deleted was settled when the deletion began.
  const now = vm.deleting ? paid.to : at;
  const most = (amount: bigint) => (amount > 0n ? amount : 0n);
  if (hourOf(vm) === null) {
    const left = most(new Rational(product.price).times(restOf(paid, now)).minus(leftover).floor());
    const unused = { description: `Unused time on ${nameOf(product, list)}`, amount: -left, taxed };
    const lines = [line({ ...unused, span: restFrom(paid, now), ...monthAt(product, list) })];
    return lessTraffic(vm, chargeOf(lines), now, list);
  }
  // Nothing is left once its month is over and sold.
  if (vm.deposit === null) return chargeOf([]);
  const until = Math.min(now, paid.to);
  const begun = new Rational(seconds(vm.hoursSince!, until), 3600n).ceil();
  const { lines } = settleHours(vm, now, list, begun);
  return chargeOf(keepSold(lines, chargeOf(lines), vm, null, now, list).lines);
}

const lessTraffic = (vm: Vm, charge: Charge, now: number, list: PriceList) =>
  keepBack(charge, vm.refundable, vm.deleting ? 0n : keptForTraffic(vm, null, now, list, charge));

/** The charge for a deletion: the usage so far, less the unused rest of the month; negative for a refund. */
export function deletionCharge(vm: Vm, now: number, list: PriceList): Charge & { use: Use[] } {
  if (!vm.exists) return { ...chargeOf([]), use: [] };
  const unused = unusedOf(vm, now, list);
  const use = vm.deleting ? [] : usedIn(vm, monthsUntil(vm, usedUntil(vm, now)), now, list);
  const lines = use.flatMap((one) => one.lines);
  return {
    ...chargeOf([
      ...lines,
      ...(unused.total === 0n && vm.deposit === null ? [] : unused.lines),
      ...refundLines(vm, now, list),
    ]),
    use,
  };
}

/** When an unpaid VM may be suspended. */
export function graceEnd(vm: Vm): number {
  const { paid, upgradedAt } = vm;
  if (vm.graceEnded !== null && (vm.suspendedAt !== null || !renews(vm))) return vm.graceEnded;
  const upgradedLate = upgradedAt !== null && upgradedAt > paid.to - GRACE.heldFor;
  return paid.to + (renews(vm) && !upgradedLate ? GRACE.suspendAfter : 0);
}

/** The instant until which a VM's owner has to pay for its usage. */
function usedUntil(vm: Vm, now: number): number {
  return vm.suspendedAt === null ? now : Math.min(vm.suspendedAt, graceEnd(vm), now);
}

/** A renewal: the paid month, its charge, and the usage before it. */
export interface Renewal {
  span: Span;
  product: Product;
  charge: Sale;
  use: Use[];
  /** The add-ons of the VM once it is paid. */
  addOns: HeldAddOn[];
}

/** Returns everything due at `now` for a VM whose month is over; empty while it is not over. */
export function arrears(vm: Vm, now: number, list: PriceList): Renewal[] {
  if (vm.paid.to > now) return [];
  return vm.suspendedAt === null ? missed(vm, now, list) : [recovery(vm, now, list)];
}

const renewal = (
  span: Span,
  product: Product,
  sale: Sale,
  { use, added, grace = [] }: { use: Use[]; added: AddedMonth; grace?: Line[] },
): Renewal => {
  const lines = [...use.flatMap((one) => one.lines), ...added.lines, ...grace, ...sale.lines];
  return { span, product, charge: { ...sale, ...chargeOf(lines) }, use, addOns: added.addOns };
};

function missed(vm: Vm, now: number, list: PriceList): Renewal[] {
  const due: { span: Span; product: Product }[] = [];
  for (const month of comingMonths(vm, list, now)) {
    if (month.span.from > now) break;
    due.push(month);
  }
  const over = [vm.paid, ...due.map(({ span }) => span)].slice(0, -1);
  const use = usedIn(
    vm,
    over.map((span) => ({ span, month: span, all: false })),
    now,
    list,
  );
  const added = nextMonths(
    vm,
    due.map(({ span }) => span),
    list,
  );
  return due.map(({ span, product }, index) =>
    renewal(span, product, monthCharge(product, span, list, vm.nextMode), {
      use: [use[index]!],
      added: added[index]!,
    }),
  );
}

/** A suspended VM owes its grace period and begins a month that is a new sale. */
function recovery(vm: Vm, now: number, list: PriceList): Renewal {
  const span = monthFrom(now, dayOf(now));
  const product = asSold(vm, list, now);
  const sale = monthCharge(product, span, list, vm.nextMode);
  const use = usedIn(vm, monthsUntil(vm, usedUntil(vm, now)), now, list);
  const { span: unpaid } = comingMonths(vm, list, now).next().value;
  const added = recoveredMonth(vm, { unpaid, usedUntil: usedUntil(vm, now), span, now }, list);
  return renewal(span, product, sale, { use, added, grace: graceUsed(vm, now, list) });
}

/** The grace period that a suspended VM used: its share of the unpaid month, or its seconds if billed hourly. */
function graceUsed(vm: Vm, now: number, list: PriceList): Line[] {
  const { span: unpaid, product } = comingMonths(vm, list, now).next().value;
  const used = { from: unpaid.from, to: usedUntil(vm, now) };
  const price = new Rational(product.price);
  const hour = vm.hoursSince === null ? null : product.hour;
  const share = price.times(new Rational(1n).minus(restOf(unpaid, used.to)));
  const amount = hour
    ? Rational.least(worthOf(hour, seconds(used.from, used.to), list), price).round()
    : share.round();
  if (amount === 0n) return [];
  const grace = { description: `Grace on ${nameOf(product, list)}`, amount, taxed: list.taxed, span: used };
  return [line({ ...grace, ...(hour ? hoursAt(hour, list) : monthAt(product, list)) })];
}

export const totalOf = (renewals: Renewal[]) => sum(renewals.map(({ charge }) => charge.total));
