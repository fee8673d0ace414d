import { containedTax } from '../money.ts';
import type { Charge, ChargeLine } from '../pricing.ts';

/** How much less a charge gives back than it says, so that it is at most `refundable`, where there is a limit. */
export function withheld({ total_minor }: Charge, refundable: bigint | null = null): bigint {
  if (refundable === null || -total_minor <= refundable) return 0n;
  return -total_minor - refundable;
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
