import { SHORTEST_MONTH_HOURS } from '../billing/metering.ts';
import {
  currencyExponent,
  divideRoundHalfUp,
  divideRoundUp,
  max,
  min,
  minorToMicros,
  parseMicros,
  priceText,
} from '../billing/money.ts';
import { isCountry } from '../tax/countries.ts';
import { type TaxedBuyer, taxFor } from '../tax/tax.ts';
import { hasKnownVatFormat } from '../tax/vat-id.ts';
import type { AddOnForSale, Catalog, Plan } from './catalog-schema.ts';

/**
 * The catalog at one buyer's prices, as returned by {@link catalogFor}. Functions that read prices take this type, so
 * that no price is charged, shown or announced without the conversion.
 */
export type SalesCatalog = Catalog & { readonly sold_to: SoldTo };

/** The buyer that a catalog's prices are for. */
export interface SoldTo {
  /** True for a business that buys at net prices. */
  net: boolean;
  /** The tax rate contained in the prices, such as "0.19". */
  rate: string;
}

/** A catalog that has not been converted: converting twice would deduct the tax twice. */
type ListCatalog = Catalog & { readonly sold_to?: never };

/**
 * Returns whether `buyer` buys at net prices: a business with a VAT id in the format of its country, if the catalog
 * says so. A country whose format is unknown does not qualify: there, any text would buy at a lower price.
 */
export function buysNet({ business_prices }: Catalog, buyer: TaxedBuyer | undefined): boolean {
  if (business_prices !== 'net' || buyer?.kind !== 'business' || buyer.vat_id === null) return false;
  return isCountry(buyer.country) && hasKnownVatFormat(buyer.country, buyer.vat_id) === true;
}

/**
 * Returns the catalog at the prices that `buyer` pays, current and announced ones. They include the tax due, and are
 * the list prices except for businesses that buy net.
 */
export function catalogFor(list: ListCatalog, buyer: TaxedBuyer | undefined): SalesCatalog {
  const sold_to = { net: buysNet(list, buyer), rate: taxFor(list, buyer).rate };
  return { ...atRate(list, priceRate(list, buyer)), sold_to };
}

/** Returns the tax rate contained in the prices for `buyer`: that of the list, except for businesses that buy net. */
export function priceRate(list: Catalog, buyer: TaxedBuyer | undefined): string {
  return buysNet(list, buyer) ? taxFor(list, buyer).rate : list.tax_rate;
}

const ONE = 1_000_000n;

/**
 * Returns the catalog with the tax of its own rate taken off its prices and that of `rate` added. Each price is rounded
 * once, half up.
 */
export function atRate(catalog: Catalog, rate: string): Catalog {
  const { currency, tax_rate, plans, add_ons, custom, usage } = catalog;
  const share = { to: ONE + parseMicros(rate), from: ONE + parseMicros(tax_rate) };
  if (share.to === share.from) return catalog;
  const prices = new Prices(share, currency);
  const withUsage = <T extends { traffic_per_gb?: string }>(item: T): T =>
    item.traffic_per_gb === undefined ? item : { ...item, traffic_per_gb: prices.unit(item.traffic_per_gb) };
  return {
    ...catalog,
    plans: plans.map((plan) => withUsage(withLater<string, Plan>(plan, (price) => prices.plan(price)))),
    ...(add_ons && {
      add_ons: add_ons.map((addOn) => withLater<string, AddOnForSale>(addOn, (price) => prices.plan(price))),
    }),
    custom: withUsage(withLater<Parts, Catalog['custom']>(custom, (price) => prices.parts(price))),
    ...(usage && {
      usage: {
        ...withUsage(usage),
        ...(usage.snapshot_gb_month !== undefined && {
          snapshot_gb_month: prices.unit(usage.snapshot_gb_month),
        }),
      },
    }),
  };
}

interface Price<P> {
  price_monthly: P;
  price_hourly?: P;
}

/** Converts the price of `item` and its announced prices. */
function withLater<P, T extends Price<P> & { prices?: Price<P>[] }>(
  item: T,
  convert: (price: Price<P>) => Price<P>,
): T {
  const later = item.prices?.map((price) => ({ ...price, ...convert(price) }));
  return { ...item, ...convert(item), ...(later && { prices: later }) };
}

type Parts = Catalog['custom']['price_monthly'];

/** Converts prices of a catalog in `currency` by the factor `to / from`. */
class Prices {
  readonly #share: { to: bigint; from: bigint };
  readonly #currency: string;

  constructor(share: { to: bigint; from: bigint }, currency: string) {
    this.#share = share;
    this.#currency = currency;
  }

  /** Converts a price that may have fractions of the smallest unit, with six decimals. */
  unit(price: string): string {
    return this.#text(this.#micros(price));
  }

  /** Converts a plan's price, with the currency's decimals. */
  plan({ price_monthly, price_hourly }: Price<string>): Price<string> {
    const { to, from } = this.#share;
    const units = 10n ** BigInt(currencyExponent(this.#currency));
    const minor = divideRoundHalfUp(parseMicros(price_monthly) * units * to, from * ONE);
    const month = this.#text(minorToMicros(minor, this.#currency));
    return { price_monthly: month, ...(price_hourly && { price_hourly: this.#hour(price_hourly, month) }) };
  }

  /** Converts unit prices of custom sizes. The price of a size is rounded again, to the smallest unit. */
  parts({ price_monthly, price_hourly }: Price<Parts>): Price<Parts> {
    const ofEach = (convert: (part: keyof Parts) => string): Parts => ({
      vcpu: convert('vcpu'),
      ram_gb: convert('ram_gb'),
      disk_gb: convert('disk_gb'),
    });
    const month = ofEach((part) => this.unit(price_monthly[part]));
    if (!price_hourly) return { price_monthly: month };
    return {
      price_monthly: month,
      price_hourly: ofEach((part) => this.#hour(price_hourly[part], month[part])),
    };
  }

  /**
   * Keeps an hourly price in its bounds: all hours of the shortest month cost at least the month's price, and one hour
   * costs at most the month's price.
   */
  #hour(price: string, priceMonthly: string): string {
    const month = parseMicros(priceMonthly);
    const least = divideRoundUp(month, SHORTEST_MONTH_HOURS);
    return this.#text(min(max(this.#micros(price), least), month));
  }

  #micros(price: string): bigint {
    return divideRoundHalfUp(parseMicros(price) * this.#share.to, this.#share.from);
  }

  #text(micros: bigint): string {
    return priceText(micros, this.#currency);
  }
}
