import type { Catalog, Plan } from '../catalog/catalog-schema.ts';
import { customVolume } from '../catalog/traffic-end.ts';
import { withheld, withhold } from './adjustments/refundable.ts';
import {
  type Charge,
  type ChargeLine,
  charge,
  depositAt,
  hoursAt,
  lineOf,
  monthAt,
  type Terms,
} from './charge-line.ts';
import { changeDeposit, isHeld, releaseCharge } from './deposits.ts';
import { type BillingMode, type Metering, type RunningPeriod, startedHours, usedOf } from './metering.ts';
import { divideRoundHalfUp, max, microsToMinor, parseMicros, plainRate, priceText } from './money.ts';
import { type Period, restAt, restOf } from './period.ts';

export { type Charge, type ChargeLine, charge, type SaleTerms, type Terms, termsOf } from './charge-line.ts';
export type { RunningPeriod } from './metering.ts';

export interface Size {
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
}

/** A configuration for sale: a size at a monthly price, by plan or custom (`plan` null). */
export interface Configuration extends Size {
  plan: string | null;
  name: string;
  bandwidth_gb: number | null;
  price_monthly_minor: bigint;
  /** In millionths of a major unit; null if the configuration is not sold hourly. */
  price_hourly_micros: bigint | null;
}

/** A charge that sells a period, or the rest of one, with what the VM remembers of it. */
export interface Sale extends Charge {
  tax_rate: string;
  /** The amount that rounding left uncharged; see `RunningPeriod`. */
  remainder: bigint;
  /** Null if billed monthly. */
  metering: Metering | null;
  /** The part that is held as a deposit for the period, not sold; null if billed monthly. */
  deposit: bigint | null;
}

/** Returns the columns of a VM that record how its period is metered, and its deposit. */
export function meteredAs({ deposit, metering }: Pick<Sale, 'deposit' | 'metering'>) {
  return {
    price_hourly_micros: metering?.priceMicros ?? null,
    metered_since: metering?.since ?? null,
    deposit_minor: deposit,
    deposit_since: deposit === null ? null : metering!.since,
  };
}

export function planConfiguration(plan: Plan, currency: string): Configuration {
  const { code, name, vcpu, ram_mb, disk_gb, bandwidth_gb } = plan;
  const price_monthly_minor = microsToMinor(parseMicros(plan.price_monthly), currency);
  const price_hourly_micros = plan.price_hourly === undefined ? null : parseMicros(plan.price_hourly);
  return { plan: code, name, vcpu, ram_mb, disk_gb, bandwidth_gb, price_monthly_minor, price_hourly_micros };
}

const MB_PER_GB = 1024n;

/** Returns a configuration of any size, at the catalog's unit prices and with its traffic volume per unit. */
export function customConfiguration(
  { vcpu, ram_mb, disk_gb }: Size,
  catalog: Pick<Catalog, 'custom' | 'currency'>,
): Configuration {
  const { price_monthly, price_hourly } = catalog.custom;
  const inMicros = (unit: typeof price_monthly) =>
    BigInt(vcpu) * parseMicros(unit.vcpu) +
    divideRoundHalfUp(BigInt(ram_mb) * parseMicros(unit.ram_gb), MB_PER_GB) +
    BigInt(disk_gb) * parseMicros(unit.disk_gb);
  const name = `Custom ${vcpu} vCPU, ${ram_mb} MB, ${disk_gb} GB`;
  return {
    plan: null,
    name,
    vcpu,
    ram_mb,
    disk_gb,
    bandwidth_gb: customVolume(catalog.custom, { vcpu, ram_mb, disk_gb }),
    price_monthly_minor: microsToMinor(inMicros(price_monthly), catalog.currency),
    price_hourly_micros: price_hourly ? inMicros(price_hourly) : null,
  };
}

/** Returns an hourly price as the API shows it: a decimal in major units; null if it is not sold or billed by the hour. */
export const hourlyText = (hourMicros: bigint | null, currency: string): string | null =>
  hourMicros === null ? null : priceText(hourMicros, currency);

/** The hours of a period of `configuration` from `since` on; null if it is billed by the month. */
function meteringOf({ price_hourly_micros }: Configuration, mode: BillingMode, since: Date): Metering | null {
  return mode === 'monthly' || price_hourly_micros === null
    ? null
    : { priceMicros: price_hourly_micros, since };
}

/**
 * Returns the charge for a month of `configuration` from the start of `period`: a purchase or a renewal. If billed
 * hourly, it is a deposit of the most that the hours can cost.
 */
export function monthCharge(
  configuration: Configuration,
  period: Period,
  terms: Terms,
  mode: BillingMode = 'monthly',
): Sale {
  const { name, price_monthly_minor: price } = configuration;
  const metering = meteringOf(configuration, mode, period.startAt);
  const unit = metering
    ? depositAt(`Deposit for ${name}`, price, terms, metering)
    : monthAt(name, price, terms);
  const month = lineOf(unit, price, terms, period, false);
  const deposit = metering && price;
  return { ...charge([month]), tax_rate: month.tax_rate, remainder: 0n, metering, deposit };
}

/** The part of an unpaid month that a suspended VM had used. */
export interface UsedGrace {
  /** The configuration that it would have been renewed with. */
  inGrace: Configuration;
  unpaid: Period;
  usedUntil: Date;
  /** The billing mode of the previous period. */
  mode: BillingMode;
}

/**
 * Returns the charge for a month of `configuration` for a VM that was suspended, plus the grace period that it used
 * before: the share of its unpaid month, or the seconds at the hourly price, rounded half up and never more than that
 * month.
 */
export function recoveryCharge(
  configuration: Configuration,
  period: Period,
  { inGrace, unpaid, usedUntil, mode: graceMode }: UsedGrace,
  terms: Terms,
  mode: BillingMode = 'monthly',
): Sale {
  const sale = monthCharge(configuration, period, terms, mode);
  const { name, price_monthly_minor: price } = inGrace;
  const metering = meteringOf(inGrace, graceMode, unpaid.startAt);
  const { used, parts } = usedOf(price, { ...unpaid, terms, remainder: 0n, metering }, usedUntil, 'now');
  const amount = divideRoundHalfUp(used, parts);
  if (amount === 0n) return sale;
  const description = `Grace on ${name}`;
  const unit = metering ? hoursAt(description, metering, terms) : monthAt(description, price, terms);
  const grace = lineOf(unit, amount, terms, { startAt: unpaid.startAt, endAt: usedUntil }, true);
  return { ...sale, ...charge([grace, ...sale.lines]) };
}

/**
 * Returns the lines that refund `credit` of a running period that was sold in advance. If billed hourly, everything
 * paid since the last change is refunded for its whole service period, and the hours are charged instead, so that
 * revenue equals what was served.
 */
function giveBack(
  { name, price_monthly_minor: price }: Configuration,
  period: RunningPeriod,
  now: Date,
  credit: bigint,
  until: 'now' | 'end_of_hour',
): ChargeLine[] {
  const { terms, metering } = period;
  const rest = restAt(period, now);
  if (!metering) return [lineOf(monthAt(`Unused time on ${name}`, price, terms), -credit, terms, rest, true)];
  const { paid, parts } = usedOf(price, period, now, until);
  const hours = max(divideRoundHalfUp(paid, parts) - credit, 0n);
  const sold = restAt(period, metering.since);
  // If a clock was set back, no time was served.
  const served = { startAt: sold.startAt, endAt: rest.startAt > sold.startAt ? rest.startAt : sold.startAt };
  const month = monthAt(`Unused month of ${name}`, price, terms);
  const given = lineOf(month, -credit - hours, terms, sold, sold.startAt > period.startAt);
  if (until === 'now') {
    const share = hoursAt(`Used time on ${name}`, metering, terms);
    return [given, lineOf(share, hours, terms, served, true)];
  }
  const count = Number(startedHours(served.startAt, served.endAt));
  const description = `${name}, ${count} ${count === 1 ? 'hour' : 'hours'}`;
  return [given, lineOf(hoursAt(description, metering, terms, count), hours, terms, served, false)];
}

/**
 * Returns the instant at which a period is changed or given up: its end if its usage was sold, otherwise `at`, or the
 * last change if the clock is behind that. The time before the last change was sold at another price: refunding a part
 * of it at this price would refund more than was paid, and an hour could be charged twice.
 */
function instantIn({ isOver, endAt, pricedAt, metering }: RunningPeriod, at: Date): Date {
  if (isOver) return endAt;
  return new Date(Math.max(at.getTime(), pricedAt?.getTime() ?? 0, metering?.since.getTime() ?? 0));
}

/**
 * Returns the charge for changing from one configuration to another at `at`, within the running period. The net is
 * rounded once, together with what earlier changes left over, so that any number of changes charges their exact total,
 * give or take half a unit. The last line is the share of the new price, the others are the rest of the net. If nodes'
 * clocks differ or one was set back, `at` may lie before the last change: see {@link instantIn}.
 */
export function changeCharge(
  from: Configuration,
  to: Configuration,
  period: RunningPeriod,
  at: Date,
  terms: Terms,
): Sale {
  const now = instantIn(period, at);
  if (isHeld(period)) return heldChange(from, to, period, now, terms);
  const { remaining, length } = restOf(period, now);
  const { used, paid, parts } = usedOf(from.price_monthly_minor, period, now, 'now');
  const fresh = to.price_monthly_minor * remaining;
  const exact = fresh * (parts / length) - (paid - used) + period.remainder;
  const net = divideRoundHalfUp(exact, parts);
  const credit = max(divideRoundHalfUp(fresh, length) - net, 0n);
  const rest = restAt(period, now);
  const metering = period.metering ? meteringOf(to, 'hourly', rest.startAt) : null;
  const unit = monthAt(`Remaining time on ${to.name}`, to.price_monthly_minor, terms, metering);
  const lines = [
    ...giveBack(from, period, now, credit, 'now'),
    lineOf(unit, net + credit, terms, rest, true),
  ];
  const change = charge(lines);
  // The amount that must not be refunded counts in the remainder, as if rounding had overcharged by that much.
  const kept = withheld(change, period);
  const remainder = exact - (net + kept) * parts;
  return {
    ...withhold(change, kept),
    tax_rate: plainRate(terms.taxRate),
    remainder,
    metering,
    deposit: null,
  };
}

/** Does the same if a deposit is held: the usage so far is sold, and the rest of the period gets its own deposit. */
function heldChange(
  from: Configuration,
  to: Configuration,
  period: RunningPeriod,
  now: Date,
  terms: Terms,
): Sale {
  const rest = restAt(period, now);
  const metering = meteringOf(to, 'hourly', rest.startAt);
  const unit = depositAt(
    `Deposit for the remaining time on ${to.name}`,
    to.price_monthly_minor,
    terms,
    metering,
  );
  const fresh = (amount: bigint) => lineOf(unit, amount, terms, rest, true);
  const held = changeDeposit(from, to.price_monthly_minor, period, now, fresh);
  const { deposit, remainder } = held;
  const change = charge([...held.lines, fresh(deposit)]);
  return { ...change, tax_rate: plainRate(terms.taxRate), remainder, metering, deposit };
}

/**
 * Returns the refund for giving a VM up at `at`, as a negative charge: the unused rest of its period. For a month it is
 * rounded down, less what rounding had left uncharged, so that no more is refunded than was paid for the period. If
 * billed hourly, it is the rest after the hours that have begun, so that the period costs the price of those hours and
 * of its changes, rounded half up.
 */
export function deletionCharge(from: Configuration, period: RunningPeriod, at: Date): Charge {
  const now = instantIn(period, at);
  if (isHeld(period)) return releaseCharge(from, period, now);
  const { used, paid, parts } = usedOf(from.price_monthly_minor, period, now, 'end_of_hour');
  const unused = max(paid - used - period.remainder, 0n);
  const credit = period.metering ? (2n * unused + parts - 1n) / (2n * parts) : unused / parts;
  const refund = charge(giveBack(from, period, now, credit, 'end_of_hour'));
  return withhold(refund, withheld(refund, period));
}
