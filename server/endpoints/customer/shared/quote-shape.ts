import type { WalletRow } from '../../../db/queries/money/wallets.ts';
import { purchaseShortfall, spendableMinor } from '../../../domain/billing/ledger.ts';
import { sum, toJsonInteger } from '../../../domain/billing/money.ts';
import { hourlyText, type Sale } from '../../../domain/billing/pricing.ts';
import type { Catalog } from '../../../domain/catalog/catalog-schema.ts';
import { nextSaleChange } from '../../../domain/catalog/prices.ts';
import { Currency, Decimal, Minor, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

/**
 * Validity of a quote: in this time proration changes by a few minor units at most. Prices may change earlier.
 */
const VALID_MS = 5 * 60_000;

export const quoteFields = {
  currency: Currency,
  lines: Type.Array(
    Shape(
      { description: Type.String(), amount_minor: Minor('Amount of this line, including tax') },
      { $id: 'QuoteLine' },
    ),
  ),
  subtotal_minor: Minor('Total without tax'),
  tax_minor: Minor('Tax contained in the total'),
  total_minor: Minor('Amount due now, including tax: the sum of the lines; negative for a refund'),
  price_hourly: Nullable(Decimal('Hourly price from now on; null with monthly billing')),
  balance_available_minor: Minor('Spendable amount of the wallet'),
  debt_minor: Minor(
    'Debt of the account. A top-up pays it first, and nothing can be bought until it is paid',
  ),
  shortfall_minor: Minor('Amount that the wallet is short, including the debt'),
  sufficient: Type.Boolean({ description: 'True if the wallet covers this' }),
  as_of: Timestamp('Time of the calculation'),
  valid_until: Timestamp(
    'The quote is valid until this time; `max_charge_minor` protects the purchase itself',
  ),
};

/** Presents a charge as a quote. The charge comes from the same function that the purchase uses. */
export function presentQuote(catalog: Catalog, charge: Sale, wallet: WalletRow, now: Date) {
  const tax = sum(charge.lines.map((line) => line.tax_minor));
  const shortfall = purchaseShortfall(wallet, charge.total_minor);
  return {
    currency: catalog.currency,
    lines: charge.lines.map((line) => ({
      description: line.description,
      amount_minor: toJsonInteger(line.amount_minor),
    })),
    subtotal_minor: toJsonInteger(charge.total_minor - tax),
    tax_minor: toJsonInteger(tax),
    total_minor: toJsonInteger(charge.total_minor),
    price_hourly: hourlyText(charge.metering?.priceMicros ?? null, catalog.currency),
    balance_available_minor: toJsonInteger(spendableMinor(wallet)),
    debt_minor: toJsonInteger(wallet.claimed_minor),
    shortfall_minor: toJsonInteger(shortfall),
    sufficient: shortfall === 0n,
    as_of: now,
    valid_until: validUntil(catalog, now),
  };
}

function validUntil(catalog: Catalog, now: Date): Date {
  const change = nextSaleChange(catalog, now)?.getTime() ?? Number.POSITIVE_INFINITY;
  return new Date(Math.min(now.getTime() + VALID_MS, change));
}

export const exampleQuote = {
  currency: 'EUR',
  lines: [{ description: 'Custom 2 vCPU, 2048 MB, 40 GB', amount_minor: 1100 }],
  subtotal_minor: 1100,
  tax_minor: 0,
  total_minor: 1100,
  price_hourly: null,
  balance_available_minor: 9601,
  debt_minor: 0,
  shortfall_minor: 0,
  sufficient: true,
  as_of: '2026-01-05T09:30:00.000Z',
  valid_until: '2026-01-05T09:35:00.000Z',
};
