import { hourPrice, unitPrice } from './net-prices.ts';
import { Rational } from './rational.ts';
import type { Seller, Taxed } from './tax.ts';

/** Decimal digits according to ISO 4217. */
export const DIGITS: Record<string, number> = { EUR: 2, HUF: 2, JPY: 0, KWD: 3 };

/** A later price, announced with its date; without an hourly price it is sold monthly only. */
interface Later<Price> {
  valid_from: string;
  existing_from?: string;
  price_monthly: Price;
  price_hourly?: Price;
}

/** A price that applies now, and others from a date on. */
interface Dated<Price> {
  price_monthly: Price;
  /** Absent if it is not sold hourly. */
  price_hourly?: Price;
  prices?: Later<Price>[];
}

/** The consequence of exceeding the included traffic; billed by default. */
export interface TrafficEnd {
  traffic_per_gb?: string;
  at_included?: 'bill' | 'throttle' | 'stop';
  throttle_mbps?: number;
}

export interface ListedPlan extends Dated<string>, Size, TrafficEnd {
  code: string;
  name: string;
  /** Null means unmetered. */
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

export interface ListedAddOn {
  code: string;
  name: string;
  price_monthly: string;
  prices?: { valid_from: string; existing_from?: string; price_monthly: string }[];
  max_quantity: number;
  deprecated?: boolean;
}

/** The part of the operator's catalog that concerns money. */
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
  add_ons?: ListedAddOn[];
  custom: Dated<Parts> & TrafficEnd & { bandwidth_gb?: { vcpu: number; ram_gb: number; disk_gb: number } };
}

/** The catalog as one buyer sees it. */
export interface PriceList extends Catalog {
  taxed: Taxed;
  /** Factor for each price, including the buyer's tax; null if prices apply unchanged. */
  share: Rational | null;
  /** Whether they are net prices plus the buyer's tax. */
  net: boolean;
}

export interface Size {
  vcpu: number;
  ram_mb: number;
  disk_gb: number;
}

/** A VM's configuration and price: a plan or parts. */
export interface Product extends Size {
  plan: string | null;
  name: string;
  /** Traffic included per month; null means unmetered. */
  bandwidth: bigint | null;
  /** Minor units per month. */
  price: bigint;
  /** Major units per hour; null if it is not sold hourly. */
  hour: Rational | null;
}

export function unit(currency: string): Rational {
  return new Rational(10n ** BigInt(DIGITS[currency]!));
}

/** Formats minor units as invoices show a price. */
export function majorUnits(minor: bigint, currency: string): string {
  return new Rational(minor).over(unit(currency)).toDecimal(DIGITS[currency]!);
}

/** The hourly price as displayed, without zeros beyond the currency's digits. */
export function hourText(hour: Rational, currency: string): string {
  const [whole, digits = ''] = hour.toDecimal(6).split('.');
  const shown = digits.replace(/0+$/, '').padEnd(DIGITS[currency]!, '0');
  return shown ? `${whole}.${shown}` : whole!;
}

/** An hourly price as displayed; null for what is not sold or billed by the hour. */
export function shownHour(hour: Rational | null, currency: string): string | null {
  return hour && hourText(hour, currency);
}

/** The instant at which a date of the catalog begins. */
export const dayStart = (date: string) => Date.parse(`${date}T00:00:00Z`);

/** The price of a month from `at` on for a product sold at `soldAt`, which keeps its price for a while. */
export function dated<P, D extends Dated<P>>(item: D & Dated<P>, at: number, soldAt: number): D {
  const come = (item.prices ?? []).filter(
    ({ valid_from, existing_from = valid_from }) =>
      soldAt >= dayStart(valid_from) || at >= dayStart(existing_from),
  );
  const last = come.at(-1);
  return last ? { ...item, price_monthly: last.price_monthly, price_hourly: last.price_hourly } : item;
}

/** The next announced price for sales, if any. */
export function nextOf<P, D extends Dated<P>>(item: D & Dated<P>, now: number) {
  return item.prices?.find(({ valid_from }) => dayStart(valid_from) > now);
}

export const findPlan = ({ plans }: Catalog, code: string) => plans.find((plan) => plan.code === code);

export const findAddOn = ({ add_ons }: Catalog, code: string) => add_ons?.find((one) => one.code === code);

/** Returns how far ahead an owner is notified of a higher price, in milliseconds. */
export const noticeOf = ({ price_notice_days = 0 }: Catalog) => price_notice_days * 86_400_000;

/** The product's name: for a plan no longer in the catalog, its code. */
export function nameOf({ plan, name }: Product, list: Catalog): string {
  return plan === null ? name : (findPlan(list, plan)?.name ?? plan);
}

export function isSold({ deprecated, retires_on }: ListedPlan, now: number): boolean {
  return !deprecated && !(retires_on && dayStart(retires_on) <= now);
}

/** Returns a plan at its price for a month from `at` on; the disk is the plan's. */
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

/** Returns parts at their price for a month from `at` on, with their name. */
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

/** The traffic included with parts per month: whole GB, at least one. */
function volumeOf(of: Catalog['custom']['bandwidth_gb'], { vcpu, ram_mb, disk_gb }: Size): bigint | null {
  if (!of) return null;
  const gb = new Rational(BigInt(ram_mb * of.ram_gb), 1024n)
    .plus(new Rational(BigInt(vcpu * of.vcpu + disk_gb * of.disk_gb)))
    .ceil();
  return gb > 0n ? gb : 1n;
}
