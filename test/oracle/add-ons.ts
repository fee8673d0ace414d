import type { Line, Vm } from './account.ts';
import { restOf, type Span } from './calendar.ts';
import { type Charge, chargeOf, line } from './lines.ts';
import { Rational } from './rational.ts';
import { dated, findAddOn, majorUnits, noticeOf, type PriceList, unit } from './tariff.ts';
import type { Taxed } from './tax.ts';

/** Add-ons: units that are sold with a VM for its month, each a separate item. */

/** Units of an add-on at a price. */
export interface Units {
  code: string;
  name: string;
  quantity: bigint;
  /** Minor units per unit and month. */
  price: bigint;
  /** Whether it is a price without tax, plus the tax at the rate of the sale. */
  net: boolean;
  soldAt: number;
}

/** An add-on that a VM has, as its running month was sold. */
export interface HeldAddOn extends Units {
  taxed: Taxed;
  /** Its worth to the second, less the amount charged for it. */
  leftover: Rational;
  /** The most that can still be refunded, once a correction refunded part of it. */
  refundable: bigint | null;
}

const worthOf = ({ quantity, price }: Units) => new Rational(quantity * price);
const inOrder = <One extends Units>(addOns: One[]) => addOns.toSorted((a, b) => (a.code < b.code ? -1 : 1));

/** Returns the add-on's name and its price for the buyer, for a month from `at` on. */
function listed(list: PriceList, code: string, at: number, soldAt: number) {
  const found = findAddOn(list, code);
  if (!found) return null;
  const { price_monthly } = dated<string, typeof found>(found, at, soldAt);
  const price = Rational.parse(price_monthly).times(unit(list.currency));
  return { name: found.name, price: (list.share ? price.times(list.share) : price).round() };
}

/** Returns the units on sale today; null if the catalog does not list the add-on. */
export function onSale(list: PriceList, code: string, quantity: bigint, now: number): Units | null {
  const found = listed(list, code, now, now);
  return found && { code, quantity, soldAt: now, net: list.net, ...found };
}

/** Returns the units at the price that they had: of a net price, with the tax of the present buyer. */
export function kept(held: HeldAddOn, list: PriceList): HeldAddOn {
  const withTax = (rate: string) => new Rational(1n).plus(Rational.parse(rate));
  const net = new Rational(held.price).over(withTax(held.taxed.rate));
  return {
    ...held,
    price: held.net ? net.times(withTax(list.taxed.rate)).round() : held.price,
  };
}

/**
 * Returns the units for a month from `at` on. Add-ons have no price notices, so a price that needs one does not rise.
 */
function renewed(held: HeldAddOn, list: PriceList, at: number): HeldAddOn {
  const same = kept(held, list);
  const asked = listed(list, held.code, at, held.soldAt);
  if (!asked) return same;
  const keeps = noticeOf(list) > 0 && asked.price > same.price;
  return keeps ? { ...same, name: asked.name } : { ...same, ...asked, net: list.net };
}

function resold(held: HeldAddOn, list: PriceList, now: number): HeldAddOn {
  const asked = listed(list, held.code, now, now);
  return { ...kept(held, list), ...(asked && { ...asked, net: list.net }), soldAt: now };
}

/** Returns the price of a VM's add-ons in its next month. */
export function nextMonthOf(vm: Vm, list: PriceList, now: number): bigint {
  return vm.addOns
    .map((held) => (vm.suspendedAt === null ? renewed(held, list, vm.paid.to) : resold(held, list, now)))
    .reduce((total, { quantity, price }) => total + quantity * price, 0n);
}

const rest = ({ from, to }: Span, now: number): Span => ({ from: Math.max(from, Math.min(now, to)), to });

function lineOf(prefix: string, units: Units, list: PriceList, of: Pick<Line, 'amount' | 'taxed' | 'span'>) {
  const { code, name, quantity, price } = units;
  const description = `${prefix}${quantity > 1n ? `${quantity} × ` : ''}${name}`;
  const priced = { unit: 'add_on', unit_price: majorUnits(price, list.currency), quantity, addOn: code };
  return { description, ...priced, ...of };
}

/** The month of a VM is over and settled, even if the clock was put back into it. */
const isOver = ({ deleting, hoursSince, deposit }: Vm) =>
  deleting || (hoursSince !== null && deposit === null);

/** No time is sold or refunded twice: not the time before the last change, whatever the clock says. */
const instantOf = (vm: Vm, held: Units | undefined, now: number) =>
  isOver(vm) ? vm.paid.to : Math.max(now, held?.soldAt ?? now);

/** Limits a refund to the amount that is left of the month after corrections. */
function atMost(held: HeldAddOn | undefined, charge: Charge): Charge {
  const over = held && held.refundable !== null ? -charge.total - held.refundable : 0n;
  if (over <= 0n || charge.total >= 0n) return charge;
  const [{ tax: _, ...giving }, ...others] = charge.lines as [Line, ...Line[]];
  return chargeOf([line({ ...giving, amount: giving.amount + over }), ...others]);
}

/**
 * Returns the charge for other units for the rest of the month: their worth to the second, less the amount charged for
 * the present ones.
 */
export function change(
  vm: Vm,
  to: Units,
  now: number,
  list: PriceList,
): { charge: Charge; after: HeldAddOn } {
  const held = vm.addOns.find(({ code }) => code === to.code);
  const at = instantOf(vm, held, now);
  const span = rest(vm.paid, at);
  const share = restOf(vm.paid, at);
  const fresh = worthOf(to).times(share);
  const paid = held ? worthOf(held).times(share).minus(held.leftover) : Rational.zero;
  const owed = fresh.minus(paid);
  const net = owed.round();
  const given = held && fresh.round() > net ? fresh.round() - net : 0n;
  const proration = span.from > vm.paid.from;
  const prefix = held ? 'Remaining time on ' : '';
  const sold = line({
    ...lineOf(prefix, to, list, { amount: net + given, taxed: list.taxed, span }),
    proration,
  });
  const unused = held
    ? [line(lineOf('Unused time on ', held, list, { amount: -given, taxed: held.taxed, span }))]
    : [];
  const charge = atMost(held, chargeOf([...unused, sold]));
  const leftover = owed.minus(new Rational(charge.total));
  const after = { ...to, soldAt: at, taxed: list.taxed, leftover, refundable: held?.refundable ?? null };
  return { charge, after };
}

/** Returns the refund for giving up an add-on: the unused rest, rounded down. */
export function refundOf(vm: Vm, held: HeldAddOn, now: number, list: PriceList): Charge {
  const at = instantOf(vm, held, now);
  const open = worthOf(held).times(restOf(vm.paid, at)).minus(held.leftover).floor();
  const amount = open > 0n ? -open : 0n;
  const given = { amount, taxed: held.taxed, span: rest(vm.paid, at) };
  return atMost(held, chargeOf([line(lineOf('Unused time on ', held, list, given))]));
}

/** The refunds of all add-ons of a VM that is deleted. */
export function refundLines(vm: Vm, now: number, list: PriceList): Line[] {
  return inOrder(vm.addOns)
    .map((held) => refundOf(vm, held, now, list))
    .filter(({ total }) => total !== 0n)
    .flatMap(({ lines }) => lines);
}

/** Another month of add-ons, whether it is the next one or one after a suspension. */
export interface AddedMonth {
  lines: Line[];
  addOns: HeldAddOn[];
}

const soldMonth = (units: HeldAddOn[], span: Span, list: PriceList): AddedMonth => ({
  lines: units.map((one) => {
    const amount = one.quantity * one.price;
    return line({ ...lineOf('', one, list, { amount, taxed: list.taxed, span }), proration: false });
  }),
  addOns: units.map((one) => ({
    ...one,
    taxed: list.taxed,
    leftover: Rational.zero,
    refundable: null,
  })),
});

/** Returns the missed months of a VM, in order. */
export function nextMonths(vm: Vm, spans: Span[], list: PriceList): AddedMonth[] {
  const months: AddedMonth[] = [];
  let held = inOrder(vm.addOns);
  for (const span of spans) {
    const month = soldMonth(
      held.map((one) => renewed(one, list, span.from)),
      span,
      list,
    );
    held = month.addOns;
    months.push(month);
  }
  return months;
}

/** Returns the month after a suspension, with the grace period that was used of the unpaid month. */
export function recoveredMonth(
  vm: Vm,
  { unpaid, usedUntil, span, now }: { unpaid: Span; usedUntil: number; span: Span; now: number },
  list: PriceList,
): AddedMonth {
  const held = inOrder(vm.addOns);
  const used = { from: unpaid.from, to: usedUntil };
  const grace = held
    .map((one) => renewed(one, list, unpaid.from))
    .map((one) => {
      const amount = worthOf(one)
        .times(new Rational(1n).minus(restOf(unpaid, usedUntil)))
        .round();
      return line(lineOf('Grace on ', one, list, { amount, taxed: list.taxed, span: used }));
    })
    .filter(({ amount }) => amount !== 0n);
  const month = soldMonth(
    held.map((one) => resold(one, list, now)),
    span,
    list,
  );
  return { ...month, lines: [...grace, ...month.lines] };
}
