import { type Document, isDeposit, type Line, type Order, soldOf, sum } from './account.ts';
import type { Expected } from './differences.ts';
import { Rational } from './rational.ts';
import { type Buyer, taxIn } from './tax.ts';

/** The tax of documents, computed from the sum of their lines, and the buyer that they name. */

const ONE = new Rational(1n);

export const groupsOf = (lines: Line[]): Line[][] => [
  ...Map.groupBy(lines, ({ taxed }) => `${taxed.category} ${taxed.rate}`).values(),
];

/** The tax in the total of lines of one rate. */
export const groupTax = (group: Line[]): bigint =>
  taxIn(sum(group.map(({ amount }) => amount)), group[0]!.taxed.rate);

export const documentTax = (lines: Line[]): bigint => sum(groupsOf(lines).map(groupTax));

const exactNet = (amount: bigint, rate: string) => new Rational(amount).over(ONE.plus(Rational.parse(rate)));

/** The tax of a line before rounding units are handed out. */
export const flooredTax = (amount: bigint, rate: string): bigint => amount - exactNet(amount, rate).floor();

/** Identifies lines with the same claim to a unit: the same category, rate and remainder of their share. */
function claim(amount: bigint, category: string, rate: string): string {
  const net = exactNet(amount, rate);
  return `${category} ${rate} ${net.minus(new Rational(net.floor())).toDecimal(12)}`;
}

/**
 * Returns how many lines of each claim get one unit more: as many as the base is short of, largest remainders first.
 */
export function unitsGiven(lines: Line[]): Record<string, bigint> {
  const given: Record<string, bigint> = {};
  for (const group of groupsOf(lines)) {
    const { category, rate } = group[0]!.taxed;
    const base = sum(group.map(({ amount }) => amount)) - groupTax(group);
    const floored = sum(group.map(({ amount }) => amount - flooredTax(amount, rate)));
    const claims = group.map(({ amount }) => claim(amount, category, rate)).sort((a, b) => (a < b ? 1 : -1));
    for (const one of claims.slice(0, Number(base - floored))) given[one] = (given[one] ?? 0n) + 1n;
  }
  return given;
}

/** Returns a displayed document with its lines before rounding units, and the units separately. */
// biome-ignore lint/suspicious/noExplicitAny: a reply
export function withoutUnits(shown: any): any {
  const units: Record<string, number> = {};
  // biome-ignore lint/suspicious/noExplicitAny: see above
  const lines = shown.lines.map((line: any) => {
    const floored = Number(flooredTax(BigInt(line.amount_minor), line.tax_rate));
    if (line.tax_minor !== floored - 1) return line;
    const one = claim(BigInt(line.amount_minor), line.tax_category, line.tax_rate);
    units[one] = (units[one] ?? 0) + 1;
    return { ...line, tax_minor: floored };
  });
  return { ...shown, lines, units, claims: Object.keys(units).length };
}

export const expectedUnits = (lines: Line[]): { units: Expected; claims: bigint } => {
  const units = unitsGiven(lines);
  return { units, claims: BigInt(Object.keys(units).length) };
};

/** The orders that an order corrects, directly or through others. */
const correctedBy = ({ correction }: Order): Order[] =>
  correction?.corrects ? [correction.corrects, ...correctedBy(correction.corrects)] : [];

/**
 * Returns the buyer on a document: today's buyer, or the buyer of its reverse-charge sales if that had another VAT id.
 */
export function buyerOf(document: Document, today: Buyer | null, orders: Order[]): Buyer | null {
  const isByBuyer = ({ taxed }: Line) => taxed.category === 'reverse_charge';
  const isCharged = ({ lines }: Order) => lines.some((line) => isByBuyer(line) && !isDeposit(line));
  if (!document.orders.some(isCharged)) return today;
  const sales = document.orders.filter(
    (order) => soldOf(order) >= 0n && isCharged(order) && order.buyer?.vat_id,
  );
  // Usage that is sold out of a deposit is taxed like the deposit.
  const used = document.orders.filter(({ lines }) => lines.some(isDeposit));
  const deposits = orders.filter(
    (order) =>
      order.status === 'completed' &&
      order.buyer?.vat_id &&
      order.lines.some((line) => isDeposit(line) && line.amount >= 0n && isByBuyer(line)) &&
      used.some(({ vm, settledAt }) => vm === order.vm && order.settledAt! <= settledAt!),
  );
  const corrected = [...document.corrects].filter(
    ({ orders, buyer }) => orders.some(isCharged) && buyer?.vat_id,
  );
  // A line that undoes a refund is taxed like the refunded sale.
  const undone = document.orders
    .flatMap(correctedBy)
    .filter((order) => isCharged(order) && order.buyer?.vat_id);
  // A change refunds at the tax of the original sale and sells at today's tax.
  const back = document.orders.filter(({ lines }) =>
    lines.some((line) => isByBuyer(line) && !isDeposit(line) && line.amount < 0n),
  );
  const given = orders.filter(
    (order) =>
      order.status === 'completed' &&
      order.buyer?.vat_id &&
      order.lines.some((line) => isByBuyer(line) && !isDeposit(line) && line.amount >= 0n) &&
      back.some(
        (one) => one !== order && one.vm && one.vm === order.vm && order.settledAt! <= one.settledAt!,
      ),
  );
  const latest = (of: Order[]) => of.toSorted((a, b) => a.settledAt! - b.settledAt!).at(-1)?.buyer;
  const sold =
    latest(sales) ??
    latest(deposits) ??
    corrected.toSorted((a, b) => a.issuedAt! - b.issuedAt! || (a.id! < b.id! ? -1 : 1)).at(-1)?.buyer ??
    latest(undone) ??
    latest(given);
  return sold && sold.vat_id !== today?.vat_id ? sold : today;
}
