import { hourPrice, unitPrice } from './net-prices.ts';
import { Rational } from './rational.ts';
import type { Seller, Taxed } from './tax.ts';

/** Digits behind the point, as ISO 4217 has them. */
export const DIGITS: Record<string, number> = { EUR: 2, HUF: 2, JPY: 0, KWD: 3 };

/** A later price, announced with its date; without an hour it is sold by the month only. */
interface Later<Price> {
  valid_from: string;
  existing_from?: string;
  price_monthly: Price;
  price_hourly?: Price;
}

/** What has a price now, and others from a date on. */
interface Dated<Price> {
  price_monthly: Price;
  /** Absent where it is not sold by the hour. */
  price_hourly?: Price;
  prices?: Later<Price>[];
}

/** What happens to what has sent the traffic that it includes; it is billed if nothing is said. */
export interface TrafficEnd {
  traffic_per_gb?: string;
  at_included?: 'bill' | 'throttle' | 'stop';
  throttle_mbps?: number;
}

export interface ListedPlan extends Dated<string>, Size, TrafficEnd {
  code: string;
  name: string;
  /** Null is unmetered. */
  bandwidth_gb: number | null;
  regions: string[];
  deprecated?: boolean;
  retires_on?: string;
}

export interface Parts {
  vcpu: string;
  ram_gb: string;
  disk_gb: string;
}

/** What the operator's catalog says of money. */
export interface Catalog {
  currency: string;
  tax_rate: string;
  tax_rates?: Record<string, string>;
  business_prices?: 'gross' | 'net';
  seller?: Seller;
  price_notice_days?: number;
  usage?: TrafficEnd & { snapshot_gb_month?: string; max_unpaid_minor?: number };
  sla?: { credits: { uptime_below: string; percent: number }[] };
  plans: ListedPlan[];
  custom: Dated<Parts> & TrafficEnd & { bandwidth_gb?: { vcpu: number; ram_gb: number; disk_gb: number } };
}

/** The catalog as one buyer has it. */
export interface PriceList extends Catalog {
  taxed: Taxed;
  /** What he pays of each price, his tax included; null is the price itself. */
  share: Rational | null;
}

export interface Size {
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
}

/** What a VM is, and is sold at: a plan, or parts. */
export interface Product extends Size {
  plan: string | null;
  name: string;
  /** Traffic included a month; null is unmetered. */
  bandwidth: bigint | null;
  /** Minor units a month. */
  price: bigint;
  /** Major units an hour; null where it is not sold by the hour. */
  hour: Rational | null;
}

export function unit(currency: string): Rational {
  return new Rational(10n ** BigInt(DIGITS[currency]!));
}

/** Minor units as invoices name a price. */
export function majorUnits(minor: bigint, currency: string): string {
  return new Rational(minor).over(unit(currency)).toDecimal(DIGITS[currency]!);
}

/** A month has 730 hours where the price of an hour is shown of what is sold by the month. */
function part730(minor: bigint, currency: string): string {
  return new Rational(minor).over(unit(currency)).over(new Rational(730n)).toDecimal(5);
}

/** The price of an hour as it is shown, without zeros that the currency does not have. */
export function hourText(hour: Rational, currency: string): string {
  const [whole, digits = ''] = hour.toDecimal(6).split('.');
  const shown = digits.replace(/0+$/, '').padEnd(DIGITS[currency]!, '0');
  return shown ? `${whole}.${shown}` : whole!;
}

/** What an hour of a product is said to cost. */
export function shownHour(price: bigint, hour: Rational | null, currency: string): string {
  return hour ? hourText(hour, currency) : part730(price, currency);
}

/** The instant at which a date of the catalog begins. */
export const dayStart = (date: string) => Date.parse(`${date}T00:00:00Z`);

/** The price that holds for a month from `at` on, of what was sold at `soldAt`, which keeps that price for a while. */
export function dated<P, D extends Dated<P>>(item: D & Dated<P>, at: number, soldAt: number): D {
  const come = (item.prices ?? []).filter(
    ({ valid_from, existing_from = valid_from }) =>
      soldAt >= dayStart(valid_from) || at >= dayStart(existing_from),
  );
  const last = come.at(-1);
  return last ? { ...item, price_monthly: last.price_monthly, price_hourly: last.price_hourly } : item;
}

/** The next price that is announced for sales, if any. */
export function nextOf<P, D extends Dated<P>>(item: D & Dated<P>, now: number) {
  return item.prices?.find(({ valid_from }) => dayStart(valid_from) > now);
}

export const findPlan = ({ plans }: Catalog, code: string) => plans.find((plan) => plan.code === code);

/** How a product is called: a plan that is not in the catalog any more, by its code. */
export function nameOf({ plan, name }: Product, list: Catalog): string {
  return plan === null ? name : (findPlan(list, plan)?.name ?? plan);
}

/** Whether a plan is sold at an instant. */
export function isSold({ deprecated, retires_on }: ListedPlan, now: number): boolean {
  return !deprecated && !(retires_on && dayStart(retires_on) <= now);
}

/** A plan at its price for a month from `at` on; the disk is that of the plan. */
export function planAt(list: PriceList, code: string, at: number, soldAt = at): Product {
  const { name, vcpu, ram_mb, disk_gb, bandwidth_gb, ...plan } = findPlan(list, code)!;
  const { price_monthly, price_hourly } = dated<string, Dated<string>>(plan, at, soldAt);
  const { share, currency } = list;
  const listed = Rational.parse(price_monthly).times(unit(currency));
  const price = (share ? listed.times(share) : listed).round();
  const month = new Rational(price).over(unit(currency));
  return {
    ...{ plan: code, name, vcpu, ram_mb, disk_gb },
    bandwidth: bandwidth_gb === null ? null : BigInt(bandwidth_gb),
    price,
    hour: price_hourly === undefined ? null : hourPrice(Rational.parse(price_hourly), month, share),
  };
}

/** Parts at their price for a month from `at` on, and how they are called. */
export function customAt({ vcpu, ram_mb, disk_gb }: Size, list: PriceList, at: number, soldAt = at): Product {
  const { price_monthly, price_hourly } = dated<Parts, Dated<Parts>>(list.custom, at, soldAt);
  const { share } = list;
  const monthOf = (part: keyof Parts) => unitPrice(Rational.parse(price_monthly[part]), share);
  const hourOf = (part: keyof Parts) => hourPrice(Rational.parse(price_hourly![part]), monthOf(part), share);
  const sum = (of: (part: keyof Parts) => Rational) =>
    of('vcpu')
      .times(new Rational(BigInt(vcpu)))
      .plus(of('ram_gb').times(new Rational(BigInt(ram_mb), 1024n)))
      .plus(of('disk_gb').times(new Rational(BigInt(disk_gb))));
  return {
    ...{ plan: null, name: `Custom ${vcpu} vCPU, ${ram_mb} MB, ${disk_gb} GB`, vcpu, ram_mb, disk_gb },
    bandwidth: volumeOf(list.custom.bandwidth_gb, { vcpu, ram_mb, disk_gb }),
    price: sum(monthOf).times(unit(list.currency)).round(),
    hour: price_hourly ? sum(hourOf) : null,
  };
}

/** What parts include a month: whole GB, and at least one. */
function volumeOf(of: Catalog['custom']['bandwidth_gb'], { vcpu, ram_mb, disk_gb }: Size): bigint | null {
  if (!of) return null;
  const gb = new Rational(BigInt(ram_mb * of.ram_gb), 1024n)
    .plus(new Rational(BigInt(vcpu * of.vcpu + disk_gb * of.disk_gb)))
    .ceil();
  return gb > 0n ? gb : 1n;
}

/** "0.20" is "0.2". */
export function plain(rate: string): string {
  return rate.includes('.') ? rate.replace(/\.?0+$/, '') : rate;
}
