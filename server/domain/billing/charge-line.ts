import type { NewLine } from '../../db/queries/money/orders.ts';
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

/** A line of a quote, an order or an invoice. Amounts include tax; a credit is negative. */
export type ChargeLine = NewLine;

/** The cost of an operation at one instant, for both quotes and charges. */
export interface Charge {
  lines: ChargeLine[];
  /** Sum of the lines: positive to pay, negative to refund. */
  total_minor: bigint;
}

export interface Terms {
  currency: string;
  /** Tax rate, such as "0.20". */
  taxRate: string;
  /** The tax category, and the reason if no tax applies; if absent, those of the VM's latest sale. */
  tax?: Pick<Tax, 'category' | 'reason'>;
}

/** Terms that name the tax category. */
export type SaleTerms = Terms & { tax: NonNullable<Terms['tax']> };

/** Returns today's terms for `buyer`; a buyer without billing details is taxed as in the seller's country. */
export function termsOf(catalog: TaxRules & { currency: string }, buyer: TaxedBuyer | undefined): SaleTerms {
  const { rate, category, reason } = taxFor(catalog, buyer);
  return { currency: catalog.currency, taxRate: plainRate(rate), tax: { category, reason } };
}

export function charge(lines: ChargeLine[]): Charge {
  return { lines, total_minor: sum(lines.map((line) => line.amount_minor)) };
}

export interface Unit {
  description: string;
  /** A deposit is the most that a month can cost: it is held, not sold. */
  unit: 'month' | 'add_on' | 'deposit' | 'hour' | 'GB' | 'GB-month' | 'adjustment';
  /** The code of the add-on that the line is about, if any. */
  add_on?: string | null;
  quantity: number;
  unit_price: string;
  /** Only for a month that is billed hourly. */
  price_hourly?: string | null;
}

/** A month, or a share of one, at the monthly price. */
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

/** The deposit for a month or the rest of one, at the price of that month. */
export function depositAt(
  description: string,
  priceMinor: bigint,
  terms: Terms,
  metering: Metering | null = null,
): Unit {
  return { ...monthAt(description, priceMinor, terms, metering), unit: 'deposit' };
}

/** Hours at the hourly price: `quantity` of them or, on a prorated line, the length of its service period. */
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
    // A deposit is not a sale; it keeps the terms at which its usage will be sold.
    tax_minor: unit.unit === 'deposit' ? 0n : containedTax(amount, taxRate),
    tax_category: tax?.category ?? null,
    tax_reason: tax?.reason ?? null,
  };
}
