import type { NewLine } from '../../db/queries/orders.ts';
import { type Tax, type TaxedBuyer, type TaxRules, taxFor } from '../tax/tax.ts';
import type { Metering } from './metering.ts';
import {
  containedTax,
  currencyExponent,
  formatMicros,
  minorToMicros,
  plainRate,
  priceText,
  sum,
} from './money.ts';
import type { Period } from './period.ts';

/** One line of a quote, an order or an invoice. Amounts include tax; a credit is negative. */
export type ChargeLine = NewLine;

/** What an operation costs at one instant: the one source of quotes and charges. */
export interface Charge {
  lines: ChargeLine[];
  /** Sum of the lines: positive is to pay, negative is given back. */
  total_minor: bigint;
}

/** What lines are sold in. */
export interface Terms {
  currency: string;
  /** Share of tax, such as "0.20". */
  taxRate: string;
  /** How it is taxed, and why not where it is not; absent: as the VM's latest sale was. */
  tax?: Pick<Tax, 'category' | 'reason'>;
}

/** Today's terms for `buyer`, who is at home where nothing is known. */
export function termsOf(catalog: TaxRules & { currency: string }, buyer: TaxedBuyer | undefined): Terms {
  const { rate, category, reason } = taxFor(catalog, buyer);
  return { currency: catalog.currency, taxRate: plainRate(rate), tax: { category, reason } };
}

export function charge(lines: ChargeLine[]): Charge {
  return { lines, total_minor: sum(lines.map((line) => line.amount_minor)) };
}

/** What a line is of. */
export interface Unit {
  description: string;
  /** A deposit is what a month costs at most: it is held, not sold. */
  unit: 'month' | 'deposit' | 'hour' | 'GB' | 'GB-month' | 'adjustment';
  quantity: number;
  unit_price: string;
  /** Where it is a month that is billed by the hour. */
  price_hourly?: string | null;
}

/** A month, or a share of one, at its price. */
export function monthAt(
  description: string,
  priceMinor: bigint,
  { currency }: Terms,
  metering: Metering | null = null,
): Unit {
  const unit_price = formatMicros(minorToMicros(priceMinor, currency), currencyExponent(currency));
  const price_hourly = metering && priceText(metering.priceMicros, currency);
  return { description, unit: 'month', quantity: 1, unit_price, price_hourly };
}

/** The deposit for a month, or for the rest of one, at the price of that month. */
export function depositAt(
  description: string,
  priceMinor: bigint,
  terms: Terms,
  metering: Metering | null = null,
): Unit {
  return { ...monthAt(description, priceMinor, terms, metering), unit: 'deposit' };
}

/** Hours at their price: a number of them, or the share of one that a service period has. */
export function hoursAt(
  description: string,
  { priceMicros }: Metering,
  { currency }: Terms,
  quantity = 1,
): Unit {
  return { description, unit: 'hour', quantity, unit_price: priceText(priceMicros, currency) };
}

export function lineOf(
  unit: Unit,
  amount: bigint,
  { taxRate, tax }: Terms,
  service: Period,
  proration: boolean,
): ChargeLine {
  return {
    ...unit,
    amount_minor: amount,
    from_at: service.startAt,
    to_at: service.endAt,
    proration,
    tax_rate: plainRate(taxRate),
    // A deposit is no sale; it keeps the terms at which its usage will be sold.
    tax_minor: unit.unit === 'deposit' ? 0n : containedTax(amount, taxRate),
    tax_category: tax?.category ?? null,
    tax_reason: tax?.reason ?? null,
  };
}
