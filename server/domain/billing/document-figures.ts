import type { InvoiceLineRow, InvoiceRow, TaxedSum } from '../../db/queries/money/invoices.ts';
import type { TaxCategory } from '../tax/tax.ts';
import { containedTax, parseMicros, plainRate, sum } from './money.ts';

/** The sum of a document's lines with the same category and rate. */
export interface DocumentTax {
  category: TaxCategory;
  tax_rate: string;
  /** Why there is no tax; null if there is. */
  reason: string | null;
  net_minor: bigint;
  tax_minor: bigint;
}

/** The fields of a sold line that determine a document's tax. Amounts include tax. */
export interface SoldLine {
  category: TaxCategory;
  tax_rate: string;
  reason: string | null;
  amount_minor: bigint;
}

/** A line with its net amount and tax on the document; the lines of a group add up exactly to the group. */
export type Figured<Line> = Line & { net_minor: bigint; tax_minor: bigint };

/** The amounts of a document; those of a credit note are negative, like its lines. */
export interface DocumentFigures {
  taxes: DocumentTax[];
  lines: Figured<InvoiceLineRow>[];
}

/** One (100 %), in millionths. */
const WHOLE = 1_000_000n;

const keyOf = ({ category, tax_rate }: { category: TaxCategory; tax_rate: string }) =>
  `${category} ${tax_rate}`;

/** Untaxed groups first, then by rising rate. */
const byRate = (a: DocumentTax, b: DocumentTax) =>
  Number(a.tax_rate) - Number(b.tax_rate) || a.category.localeCompare(b.category);

const reasonsOf = (lines: { reason: string | null }[]) =>
  [...new Set(lines.flatMap(({ reason }) => reason ?? []))].join('; ') || null;

/**
 * Returns the tax of a document by category and rate: the charges at a rate are added up, and the tax contained in the
 * sum is rounded once (EN 16931, BR-CO-17). The rest is the base.
 */
export function taxesOnBase(lines: readonly SoldLine[]): DocumentTax[] {
  return [...Map.groupBy(lines, keyOf).values()]
    .map((group) => {
      const { category, tax_rate } = group[0]!;
      const gross = sum(group.map(({ amount_minor }) => amount_minor));
      const tax_minor = containedTax(gross, tax_rate);
      return { category, tax_rate, reason: reasonsOf(group), net_minor: gross - tax_minor, tax_minor };
    })
    .sort(byRate);
}

/** Adds up lines whose tax was rounded line by line, by category and rate. Older documents were made this way. */
export function taxesOfLines(lines: readonly DocumentTax[]): DocumentTax[] {
  return [...Map.groupBy(lines, keyOf).values()]
    .map((group) => ({
      category: group[0]!.category,
      tax_rate: group[0]!.tax_rate,
      reason: reasonsOf(group),
      net_minor: sum(group.map(({ net_minor }) => net_minor)),
      tax_minor: sum(group.map(({ tax_minor }) => tax_minor)),
    }))
    .sort(byRate);
}

/**
 * Distributes the base of each group to its lines: each line gets its exact share rounded down, and the remaining units
 * go to the largest remainders, the earlier line first if equal. So the lines add up to the base, and none is off by a
 * whole unit.
 */
export function allotBases<Line extends SoldLine>(
  lines: readonly Line[],
  taxes: readonly DocumentTax[],
): Figured<Line>[] {
  const net = new Map<Line, bigint>();
  for (const [key, group] of Map.groupBy(lines, keyOf)) {
    const whole = WHOLE + parseMicros(group[0]!.tax_rate);
    const shares = group.map((line, index) => ({
      line,
      index,
      ...floored(line.amount_minor * WHOLE, whole),
    }));
    const { net_minor } = taxes.find((tax) => keyOf(tax) === key)!;
    let left = net_minor - sum(shares.map(({ quotient }) => quotient));
    // A remainder is below two million, so a number is exact.
    shares.sort((a, b) => Number(b.remainder - a.remainder) || a.index - b.index);
    for (const { line, quotient } of shares) {
      net.set(line, left > 0n ? quotient + 1n : quotient);
      left -= left > 0n ? 1n : 0n;
    }
  }
  return lines.map((line) => {
    const net_minor = net.get(line)!;
    return { ...line, net_minor, tax_minor: line.amount_minor - net_minor };
  });
}

/** Divides, rounding down for negative numbers too, and returns the remainder as well. */
function floored(numerator: bigint, denominator: bigint) {
  const remainder = ((numerator % denominator) + denominator) % denominator;
  return { quotient: (numerator - remainder) / denominator, remainder };
}

/**
 * Returns the figures of a document. An issued document keeps the figures that it was issued with; a draft has those
 * that it would be issued with now.
 */
export function documentFigures(
  { status, taxes: stored }: Pick<InvoiceRow, 'status' | 'taxes'>,
  rows: readonly InvoiceLineRow[],
): DocumentFigures {
  const lines = rows.map((row) => ({
    ...row,
    category: row.tax_category,
    tax_rate: plainRate(row.tax_rate),
    reason: row.tax_reason,
  }));
  if (status !== 'draft' && stored === null) {
    const summed = lines.map((line) => ({ ...line, net_minor: line.amount_minor - line.tax_minor }));
    return { taxes: taxesOfLines(summed), lines: summed };
  }
  const taxes = stored?.map(taxOfStored) ?? taxesOnBase(lines);
  return { taxes, lines: allotBases(lines, taxes) };
}

const taxOfStored = ({ net_minor, tax_minor, ...group }: TaxedSum): DocumentTax => ({
  ...group,
  net_minor: BigInt(net_minor),
  tax_minor: BigInt(tax_minor),
});
