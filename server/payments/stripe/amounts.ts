/** Currencies that Stripe counts in hundredths although they have none (docs.stripe.com/currencies#special-cases). */
const HUNDREDTHS = ['ISK', 'UGX'];
/** Currencies with three digits, of which Stripe takes amounts whose last one is 0. */
const THREE_DIGITS = ['BHD', 'JOD', 'KWD', 'OMR', 'TND'];

/** An amount in our minor units as Stripe counts it. */
export function toStripe(amountMinor: bigint, currency: string): number {
  if (THREE_DIGITS.includes(currency) && amountMinor % 10n !== 0n)
    throw new Error(`Stripe takes ${currency} with two digits behind the point`);
  return Number(HUNDREDTHS.includes(currency) ? amountMinor * 100n : amountMinor);
}

/** The reverse; undefined for what is no amount of ours. */
export function fromStripe(amount: unknown, currency: string): bigint | undefined {
  if (typeof amount !== 'number' || !Number.isSafeInteger(amount) || amount < 0) return undefined;
  if (!HUNDREDTHS.includes(currency)) return BigInt(amount);
  return amount % 100 === 0 ? BigInt(amount / 100) : undefined;
}
