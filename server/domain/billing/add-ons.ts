import type { StoredAddOn } from '../../db/queries/money/stored-add-ons.ts';
import type { VmPeriod } from '../../db/queries/vms/vm-parts.ts';
import type { VmRow } from '../../db/queries/vms/vms.ts';
import type { SalesCatalog } from '../catalog/buyer-prices.ts';
import { findAddOn } from '../catalog/lookup.ts';
import { addOnPriceAt } from '../catalog/prices.ts';
import { withheld, withhold } from './adjustments/refundable.ts';
import {
  type Charge,
  type ChargeLine,
  charge,
  lineOf,
  type SaleTerms,
  type Terms,
  type Unit,
} from './charge-line.ts';
import {
  currencyExponent,
  divideRoundHalfUp,
  formatMicros,
  max,
  microsToMinor,
  minorToMicros,
  parseMicros,
  plainRate,
  sum,
} from './money.ts';
import { type Period, restAt, restOf } from './period.ts';

/**
 * Add-ons are sold in units, by the month and in advance, for the period of their VM, even if the VM itself is billed
 * hourly. Each is a separate item: its lines, remainder and refunds never mix with those of the VM's size.
 */

/** Units of an add-on at a price. */
export interface AddOnUnits {
  code: string;
  name: string;
  /** At least 1. */
  quantity: number;
  /** The price of one unit per month, in minor units. */
  price_minor: bigint;
  /** True if that is a net price plus the tax at the rate of the sale. */
  net: boolean;
}

/** An add-on of a VM, with the terms on which its running period was sold. */
export interface AddOn extends AddOnUnits {
  tax_rate: string;
  tax_category: StoredAddOn['tax_category'];
  tax_reason: string | null;
  /** The period of its VM for which it is paid. */
  period: Period;
  priced_at: Date;
  /** The exact price that rounding has left uncharged, in minor units times seconds. */
  remainder: bigint;
  /** Amount of the period that may still be refunded; null if none of it has been corrected. */
  refundable: bigint | null;
}

/** Returns a VM's add-ons in the order of their codes. */
export function addOnsOf({ add_ons }: Pick<VmRow, 'add_ons'>): AddOn[] {
  return (add_ons ?? []).map(
    ({ price_minor, start_at, end_at, priced_at, remainder, refundable_minor, ...same }) => ({
      ...same,
      price_minor: BigInt(price_minor),
      period: { startAt: new Date(start_at), endAt: new Date(end_at) },
      priced_at: new Date(priced_at),
      remainder: BigInt(remainder),
      refundable: refundable_minor === null ? null : BigInt(refundable_minor),
    }),
  );
}

/** Returns the column of a VM for its add-ons, which need not be in order. */
export function storedAddOns(addOns: AddOn[]): StoredAddOn[] | null {
  if (addOns.length === 0) return null;
  return addOns
    .toSorted((a, b) => (a.code < b.code ? -1 : 1))
    .map(({ code, name, quantity, net, tax_rate, tax_category, tax_reason, ...rest }) => ({
      ...{ code, name, quantity, net, tax_rate, tax_category, tax_reason },
      price_minor: rest.price_minor.toString(),
      start_at: rest.period.startAt.toISOString(),
      end_at: rest.period.endAt.toISOString(),
      priced_at: rest.priced_at.toISOString(),
      remainder: rest.remainder.toString(),
      refundable_minor: rest.refundable === null ? null : rest.refundable.toString(),
    }));
}

/** Returns the period that an add-on of a VM is paid for, as one of the VM. */
export function periodOf(
  { id }: Pick<VmRow, 'id'>,
  { period }: AddOn,
): Pick<VmRow, 'id' | 'billing_period_start_at' | 'billing_period_end_at'> {
  return { id, billing_period_start_at: period.startAt, billing_period_end_at: period.endAt };
}

/** Returns the monthly price of all units, in minor units. */
export function monthlyPrice({ quantity, price_minor }: AddOnUnits): bigint {
  return BigInt(quantity) * price_minor;
}

const labelOf = ({ name, quantity }: AddOnUnits) => (quantity === 1 ? name : `${quantity} × ${name}`);

function unitsAt(prefix: string, units: AddOnUnits, { currency }: Terms): Unit & { add_on: string } {
  const { code, quantity, price_minor } = units;
  return {
    description: `${prefix}${labelOf(units)}`,
    unit: 'add_on',
    add_on: code,
    quantity,
    unit_price: formatMicros(minorToMicros(price_minor, currency), currencyExponent(currency)),
  };
}

const termsOfSale = ({ tax_rate, tax_category, tax_reason }: AddOn, currency: string): SaleTerms => ({
  currency,
  taxRate: tax_rate,
  tax: { category: tax_category, reason: tax_reason },
});

/** Returns units as the VM has them once they are sold on these terms. */
function soldFor(
  { code, name, quantity, price_minor, net }: AddOnUnits,
  { taxRate, tax }: SaleTerms,
  rest: Pick<AddOn, 'period' | 'priced_at' | 'remainder' | 'refundable'>,
): AddOn {
  const taxed = { tax_rate: plainRate(taxRate), tax_category: tax.category, tax_reason: tax.reason };
  return { code, name, quantity, price_minor, net, ...taxed, ...rest };
}

/** The running period of a VM; see `RunningPeriod`. */
export interface AddOnPeriod extends Period {
  /** It was settled: nothing of it is left, even if a clock is set back later. */
  isOver?: boolean;
}

/**
 * Returns the instant at which an add-on changes: never before its last change, because the time before that was sold at
 * another price, even if the clock is behind it.
 */
function instantIn({ isOver, endAt }: AddOnPeriod, since: Date | undefined, at: Date): Date {
  return isOver ? endAt : new Date(Math.max(at.getTime(), since?.getTime() ?? 0));
}

/**
 * Returns whether the period that an add-on is paid for was over when the VM's began: a node of the last release renewed
 * the VM without it. The VM keeps it, free of charge until the next renewal, and nothing of it is refunded. The ends of
 * the periods are not compared, because a deletion that failed has shortened the VM's.
 */
function isLeftBehind({ period }: AddOn, { startAt }: Period): boolean {
  return period.endAt <= startAt;
}

/**
 * Returns the charge for having `to` instead of `from` for the rest of a period, and the add-on afterwards. The net is
 * rounded once, together with what earlier changes left over. `from` is null for an add-on that the VM does not have.
 */
export function addOnCharge(
  from: AddOn | null,
  to: AddOnUnits,
  period: AddOnPeriod,
  at: Date,
  terms: SaleTerms,
): { charge: Charge; after: AddOn } {
  const paid = from && !isLeftBehind(from, period) ? from : null;
  const now = instantIn(period, from?.priced_at, at);
  const { remaining, length } = restOf(period, now);
  const rest = restAt(period, now);
  const fresh = monthlyPrice(to) * remaining;
  const exact = fresh - (paid ? monthlyPrice(paid) * remaining - paid.remainder : 0n);
  const net = divideRoundHalfUp(exact, length);
  const credit = paid ? max(divideRoundHalfUp(fresh, length) - net, 0n) : 0n;
  const unused = paid ? [unusedLine(paid, credit, rest, terms.currency)] : [];
  const sold = lineOf(
    unitsAt(paid ? 'Remaining time on ' : '', to, terms),
    net + credit,
    terms,
    rest,
    rest.startAt > period.startAt,
  );
  const change = charge([...unused, sold]);
  const limits = { refundable: paid?.refundable };
  const kept = withheld(change, limits);
  const after = soldFor(to, terms, {
    period: { startAt: period.startAt, endAt: period.endAt },
    priced_at: now,
    // The amount that must not be refunded counts in the remainder, as if rounding had overcharged by that much.
    remainder: exact - (net + kept) * length,
    refundable: paid?.refundable ?? null,
  });
  return { charge: withhold(change, kept), after };
}

/**
 * Returns the refund of an add-on that is given up in the `running` period of its VM, as a negative charge: the unused
 * rest of its own period, rounded down, less the amount that rounding had left uncharged, so that no more is refunded
 * than was paid for the period. Has no lines if a renewal left the add-on behind.
 */
export function addOnRefund(addOn: AddOn, running: AddOnPeriod, at: Date, currency: string): Charge {
  if (isLeftBehind(addOn, running)) return charge([]);
  const { isOver } = running;
  const { period, priced_at, remainder, refundable } = addOn;
  const now = instantIn({ ...period, isOver }, priced_at, at);
  const { remaining, length } = restOf(period, now);
  const unused = max(monthlyPrice(addOn) * remaining - remainder, 0n) / length;
  const refund = charge([unusedLine(addOn, unused, restAt(period, now), currency)]);
  return withhold(refund, withheld(refund, { refundable }));
}

function unusedLine(addOn: AddOn, credit: bigint, rest: Period, currency: string): ChargeLine {
  const terms = termsOfSale(addOn, currency);
  return lineOf(unitsAt('Unused time on ', addOn, terms), -credit, terms, rest, true);
}

/** Add-ons that are sold for another month: the lines, and the add-ons afterwards. */
export interface SoldMonth {
  lines: ChargeLine[];
  addOns: AddOn[];
}

/** Returns a whole month of each of these units, from the start of `period`. */
export function addOnMonth(
  units: (AddOnUnits & { priced_at: Date })[],
  period: Period,
  terms: SaleTerms,
): SoldMonth {
  const lines = units.map((item) =>
    lineOf(unitsAt('', item, terms), monthlyPrice(item), terms, period, false),
  );
  const addOns = units.map((item) =>
    soldFor(item, terms, { period, priced_at: item.priced_at, remainder: 0n, refundable: null }),
  );
  return { lines, addOns };
}

/**
 * Returns the shares of an unpaid month that add-ons of a suspended VM had used, rounded half up; none for shares of zero.
 */
export function addOnGrace(units: AddOnUnits[], unpaid: Period, usedUntil: Date, terms: Terms): ChargeLine[] {
  const { remaining, length } = restOf(unpaid, usedUntil);
  const used = { startAt: unpaid.startAt, endAt: usedUntil };
  return units
    .map((item) => {
      const amount = divideRoundHalfUp(monthlyPrice(item) * (length - remaining), length);
      return lineOf(unitsAt('Grace on ', item, terms), amount, terms, used, true);
    })
    .filter(({ amount_minor }) => amount_minor !== 0n);
}

/**
 * Returns a VM's units at the terms of their renewal for a month from `startAt`: the catalog's price and name, or the old
 * ones if the catalog no longer has them. Notices of prices do not cover add-ons: in a catalog that requires them, an
 * add-on never becomes more expensive while the VM keeps it, except by the tax on a net price.
 */
export function renewedUnits(units: AddOn[], catalog: SalesCatalog, startAt: Date): AddOn[] {
  return units.map((item) => {
    const asked = askedFor(item, catalog, startAt, item.priced_at);
    const price_minor = keptPrice(item, catalog);
    const keeps = (catalog.price_notice_days ?? 0) > 0 && asked.price_minor > price_minor;
    return { ...item, ...asked, ...(keeps && { price_minor, net: item.net }) };
  });
}

/**
 * Returns the price of one unit that a VM keeps, for its present buyer. A net price keeps its net and contains the tax that
 * the buyer owes now: a business that becomes a consumer would otherwise pay the net price with the tax in it for good.
 */
export function keptPrice({ price_minor, net, tax_rate }: AddOn, { sold_to }: SalesCatalog): bigint {
  if (!net) return price_minor;
  const withTax = (rate: string) => 1_000_000n + parseMicros(rate);
  return divideRoundHalfUp(price_minor * withTax(sold_to.rate), withTax(tax_rate));
}

/** Returns the units that a VM has as a new sale at `now`. */
export function resoldUnits(units: AddOn[], catalog: SalesCatalog, now: Date): AddOn[] {
  return units.map((item) => ({ ...item, ...askedFor(item, catalog, now, now), priced_at: now }));
}

/** Returns the name and price of an add-on in the catalog; those that it keeps if the catalog does not list it. */
function askedFor(
  item: AddOn,
  catalog: SalesCatalog,
  at: Date,
  soldAt: Date,
): Pick<AddOnUnits, 'name' | 'price_minor' | 'net'> {
  const { net } = catalog.sold_to;
  const listed = findAddOn(catalog, item.code);
  // A kept price stays net or gross. If that followed the present buyer, it would rise with each change of buyer.
  if (!listed) return { name: item.name, price_minor: keptPrice(item, catalog), net: item.net };
  const { price_monthly } = addOnPriceAt(listed, at, soldAt);
  return { name: listed.name, price_minor: microsToMinor(parseMicros(price_monthly), catalog.currency), net };
}

/** Returns the monthly price of the add-ons that a VM has, as they are renewed next. */
export function addOnsRenewalMinor(
  vm: Pick<VmRow, 'add_ons' | 'suspended_at'> & Pick<VmPeriod, 'billing_period_end_at'>,
  catalog: SalesCatalog,
  now: Date,
): bigint {
  const addOns = addOnsOf(vm);
  const renewed = vm.suspended_at
    ? resoldUnits(addOns, catalog, now)
    : renewedUnits(addOns, catalog, vm.billing_period_end_at);
  return sum(renewed.map(monthlyPrice));
}
