import { containedTax, divideRoundUp, max } from '../money.ts';
import type { Charge, ChargeLine } from '../pricing.ts';

/** Limits on the refund for a running period. */
export interface RefundLimits {
  /** The maximum refund, set once a correction has refunded a part of the period. */
  refundable?: bigint | null;
  /** The part of the returned traffic that was already sent, which is not refunded. */
  usedAhead?: { used: bigint; givenUp: bigint } | null;
}

/** Returns by how much the limits of the period reduce the refund in a charge. */
export function withheld({ total_minor }: Charge, { refundable, usedAhead }: RefundLimits): bigint {
  if (total_minor >= 0n) return 0n;
  const back = -total_minor;
  const corrected = refundable == null ? 0n : max(back - refundable, 0n);
  const used = usedAhead == null ? 0n : divideRoundUp(back * usedAhead.used, usedAhead.givenUp);
  return max(corrected, used);
}

/** Returns the charge with `amount` less refunded, taken off its first negative line. */
export function withhold<C extends Charge>(charge: C, amount: bigint): C {
  if (amount === 0n) return charge;
  const giving = charge.lines.findIndex((line) => line.amount_minor < 0n);
  const lines = charge.lines.map((line, index) => (index === giving ? more(line, amount) : line));
  return { ...charge, lines, total_minor: charge.total_minor + amount };
}

function more(line: ChargeLine, amount: bigint): ChargeLine {
  const amount_minor = line.amount_minor + amount;
  return { ...line, amount_minor, tax_minor: containedTax(amount_minor, line.tax_rate) };
}
