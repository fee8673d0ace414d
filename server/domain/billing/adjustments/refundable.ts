import { containedTax, divideRoundUp, max } from '../money.ts';
import type { Charge, ChargeLine } from '../pricing.ts';

/** What limits the amount that a running period gives back. */
export interface RefundLimits {
  /** The most that may still be given back, once some of it has been given back by a correction. */
  refundable?: bigint | null;
  /** Of the traffic that is given up, the part that was sent already: no money comes back for it. */
  usedAhead?: { used: bigint; givenUp: bigint } | null;
}

/** Returns how much less a charge gives back than it says, because of the limits of its period. */
export function withheld({ total_minor }: Charge, { refundable, usedAhead }: RefundLimits): bigint {
  if (total_minor >= 0n) return 0n;
  const back = -total_minor;
  const corrected = refundable == null ? 0n : max(back - refundable, 0n);
  const used = usedAhead == null ? 0n : divideRoundUp(back * usedAhead.used, usedAhead.givenUp);
  return max(corrected, used);
}

/** The charge with `amount` less given back, by the first line that gives back. */
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
