import { currencyExponent, isCurrency } from '../../../shared/currencies.ts';

/**
 * Stripe's decimals, from docs.stripe.com/currencies ("Zero-decimal currencies", "Special cases", "Three-decimal
 * currencies"; read 2026-11). They differ from ISO 4217: MGA has two decimals there and none here, ISK and UGX the
 * reverse.
 */
const ZERO_DECIMAL = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
/**
 * ISK, and UGX even though Stripe's list of zero-decimal currencies contains it: as special cases they need two
 * decimals, which are always 00. HUF and TWD are special cases too, but only for payouts: charges and refunds have two
 * decimals.
 */
const TWO_DECIMALS_OF_ZERO = new Set(['ISK', 'UGX']);
/** BHD, JOD, KWD, OMR and TND are sent with three decimals, the last of which must be 0. */
const THREE_DECIMALS = 3;

function stripeExponent(currency: string): number {
  if (TWO_DECIMALS_OF_ZERO.has(currency)) return 2;
  if (ZERO_DECIMAL.has(currency)) return 0;
  return currencyExponent(currency) === THREE_DECIMALS ? THREE_DECIMALS : 2;
}

/** Returns the number of our minor units that an amount must be a multiple of for Stripe to charge it exactly. */
export function stripeUnit(currency: string): bigint {
  const exponent = stripeExponent(currency);
  if (exponent === THREE_DECIMALS) return 10n;
  return 10n ** BigInt(Math.max(0, currencyExponent(currency) - exponent));
}

/** Converts an amount in our minor units to Stripe's; throws if Stripe cannot charge it exactly. */
export function toStripe(amountMinor: bigint, currency: string): number {
  const unit = stripeUnit(currency);
  if (amountMinor % unit !== 0n)
    throw new Error(`Stripe accepts ${currency} in multiples of ${unit} minor units, not ${amountMinor}`);
  const [ours, theirs] = [currencyExponent(currency), stripeExponent(currency)].map(
    (digits) => 10n ** BigInt(digits),
  );
  return Number((amountMinor * theirs!) / ours!);
}

/** Converts Stripe's amount to our minor units; undefined if we cannot represent it. */
export function fromStripe(amount: unknown, currency: string): bigint | undefined {
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0) return undefined;
  if (!isCurrency(currency)) return undefined;
  const [ours, theirs] = [currencyExponent(currency), stripeExponent(currency)].map(
    (digits) => 10n ** BigInt(digits),
  );
  const scaled = BigInt(amount) * ours!;
  return scaled % theirs! === 0n ? scaled / theirs! : undefined;
}
