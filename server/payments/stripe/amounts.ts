import { currencyExponent, isCurrency } from '../../../shared/currencies.ts';

/**
 * How Stripe counts, from docs.stripe.com/currencies ("Zero-decimal currencies", "Special cases", "Three-decimal
 * currencies"; read 2026-11). It is not ISO 4217: MGA has two decimals there and none here, ISK and UGX the reverse.
 */
const ZERO_DECIMAL = new Set('BIF CLP DJF GNF JPY KMF KRW MGA PYG RWF VND VUV XAF XOF XPF'.split(' '));
/**
 * ISK, and UGX although Stripe's list of zero-decimal currencies names it: the special cases ask for two decimals, which are
 * always 00. HUF and TWD are special cases too, but of payouts alone: charges and refunds have two decimals.
 */
const TWO_DECIMALS_OF_ZERO = new Set(['ISK', 'UGX']);
/** BHD, JOD, KWD, OMR and TND: sent with three decimals, of which the last must be 0. */
const THREE_DECIMALS = 3;

function stripeExponent(currency: string): number {
  if (TWO_DECIMALS_OF_ZERO.has(currency)) return 2;
  if (ZERO_DECIMAL.has(currency)) return 0;
  return currencyExponent(currency) === THREE_DECIMALS ? THREE_DECIMALS : 2;
}

/** Returns how many of our minor units an amount must be a multiple of, so that Stripe charges it exactly. */
export function stripeUnit(currency: string): bigint {
  const exponent = stripeExponent(currency);
  if (exponent === THREE_DECIMALS) return 10n;
  return 10n ** BigInt(Math.max(0, currencyExponent(currency) - exponent));
}

/** Returns an amount in our minor units as Stripe counts it; throws if Stripe cannot charge it exactly. */
export function toStripe(amountMinor: bigint, currency: string): number {
  const unit = stripeUnit(currency);
  if (amountMinor % unit !== 0n)
    throw new Error(`Stripe takes ${currency} in multiples of ${unit} minor units, not ${amountMinor}`);
  const [ours, theirs] = [currencyExponent(currency), stripeExponent(currency)].map(
    (digits) => 10n ** BigInt(digits),
  );
  return Number((amountMinor * theirs!) / ours!);
}

/** Returns the reverse; undefined for what is no amount of ours. */
export function fromStripe(amount: unknown, currency: string): bigint | undefined {
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0) return undefined;
  if (!isCurrency(currency)) return undefined;
  const [ours, theirs] = [currencyExponent(currency), stripeExponent(currency)].map(
    (digits) => 10n ** BigInt(digits),
  );
  const scaled = BigInt(amount) * ours!;
  return scaled % theirs! === 0n ? scaled / theirs! : undefined;
}
