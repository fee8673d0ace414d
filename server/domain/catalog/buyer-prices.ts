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
import { hasVatId, type TaxedBuyer, taxFor } from '../tax/tax.ts';
import type { Catalog, Plan } from './catalog-schema.ts';

/**
 * The catalog at the prices of one buyer, as {@link catalogFor} makes it. Whatever reads a price takes it, so that no price is
 * charged, shown or announced that was not converted.
 */
export type SalesCatalog = Catalog & { readonly sold_to: SoldTo };

/** Whose prices a catalog has. */
export interface SoldTo {
  /** A business at net prices. */
  net: boolean;
  /** Share of tax that the prices contain, such as "0.19". */
  rate: string;
}

/** A catalog that was not converted: converting twice would take the tax off twice. */
type ListCatalog = Catalog & { readonly sold_to?: never };

/** Whether `buyer` is sold to at net prices: a business with a VAT id, where the catalog says so. */
export function buysNet({ business_prices }: Catalog, buyer: TaxedBuyer | undefined): boolean {
  return business_prices === 'net' && buyer !== undefined && hasVatId(buyer);
}

/**
 * Returns the catalog at the prices that `buyer` pays, of today and announced ones. They include the tax that is due of that
 * buyer, and are those of the list except for businesses at net prices.
 */
export function catalogFor(list: ListCatalog, buyer: TaxedBuyer | undefined): SalesCatalog {
  const sold_to = { net: buysNet(list, buyer), rate: taxFor(list, buyer).rate };
  return { ...atRate(list, priceRate(list, buyer)), sold_to };
}

/** The rate of the tax that the prices of `buyer` include: that of the list, except for businesses at net prices. */
export function priceRate(list: Catalog, buyer: TaxedBuyer | undefined): string {
  return buysNet(list, buyer) ? taxFor(list, buyer).rate : list.tax_rate;
}

const ONE = 1_000_000n;

/** The catalog's prices without the tax of its own rate, and with that of `rate`. Each is rounded once, half up. */
export function atRate(catalog: Catalog, rate: string): Catalog {
  const { currency, tax_rate, plans, custom, usage } = catalog;
  const share = { to: ONE + parseMicros(rate), from: ONE + parseMicros(tax_rate) };
  if (share.to === share.from) return catalog;
  const prices = new Prices(share, currency);
  const withUsage = <T extends { traffic_per_gb?: string }>(item: T): T =>
    item.traffic_per_gb === undefined ? item : { ...item, traffic_per_gb: prices.unit(item.traffic_per_gb) };
  return {
    ...catalog,
    plans: plans.map((plan) => withUsage(withLater<string, Plan>(plan, (price) => prices.plan(price)))),
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

/** `item` with its price and those that are announced converted. */
function withLater<P, T extends Price<P> & { prices?: Price<P>[] }>(
  item: T,
  convert: (price: Price<P>) => Price<P>,
): T {
  const later = item.prices?.map((price) => ({ ...price, ...convert(price) }));
  return { ...item, ...convert(item), ...(later && { prices: later }) };
}

type Parts = Catalog['custom']['price_monthly'];

/** Prices of a catalog in `currency`, multiplied by `to` and divided by `from`. */
class Prices {
  readonly #share: { to: bigint; from: bigint };
  readonly #currency: string;

  constructor(share: { to: bigint; from: bigint }, currency: string) {
    this.#share = share;
    this.#currency = currency;
  }

  /** A price of parts of the smallest unit, at six decimals. */
  unit(price: string): string {
    return this.#text(this.#micros(price));
  }

  /** A plan's price, at the currency's decimals. */
  plan({ price_monthly, price_hourly }: Price<string>): Price<string> {
    const { to, from } = this.#share;
    const units = 10n ** BigInt(currencyExponent(this.#currency));
    const minor = divideRoundHalfUp(parseMicros(price_monthly) * units * to, from * ONE);
    const month = this.#text(minorToMicros(minor, this.#currency));
    return { price_monthly: month, ...(price_hourly && { price_hourly: this.#hour(price_hourly, month) }) };
  }

  /** Unit prices of custom sizes, which are rounded once more as a size is charged. */
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

  /** The rounded price of an hour still comes to that of the shortest month, and to no more than a month's by itself. */
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
