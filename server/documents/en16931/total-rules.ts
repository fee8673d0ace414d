import { COUNTRY_CODES } from './country-codes.ts';
import { type Rules, round, roundedTax, sumOf, UNIT, vatDifference } from './rule.ts';

/** One per cent, in millionths. */
const PER_CENT = 10_000n;

/** The rules on totals, VAT amounts and countries, in the wording of the official validation rules 1.3.16. */
export const TOTAL_RULES: Rules = {
  /** Sum of Invoice line net amount (BT-106) = Σ Invoice line net amount (BT-131). */
  'BR-CO-10': ({ lines, totals }) => totals.lines === sumOf(lines),
  /** Sum of allowances on document level (BT-107) = Σ Document level allowance amount (BT-92). */
  'BR-CO-11': ({ allowances, totals }) => (totals.allowances ?? 0n) === sumOf(allowances),
  /** Sum of charges on document level (BT-108) = Σ Document level charge amount (BT-99). */
  'BR-CO-12': ({ charges, totals }) => (totals.charges ?? 0n) === sumOf(charges),
  /**
   * Invoice total amount without VAT (BT-109) = Σ Invoice line net amount (BT-131) - Sum of allowances on document
   * level (BT-107) + Sum of charges on document level (BT-108).
   */
  'BR-CO-13': ({ totals: { lines, allowances, charges, net } }) =>
    net === lines - (allowances ?? 0n) + (charges ?? 0n),
  /** Invoice total VAT amount (BT-110) = Σ VAT category tax amount (BT-117). */
  'BR-CO-14': ({ breakdown, totals }) => totals.tax === breakdown.reduce((sum, { tax }) => sum + tax, 0n),
  /**
   * Invoice total amount with VAT (BT-112) = Invoice total amount without VAT (BT-109) + Invoice total VAT amount
   * (BT-110).
   */
  'BR-CO-15': ({ totals: { net, tax, gross } }) => gross === net + tax,
  /**
   * Amount due for payment (BT-115) = Invoice total amount with VAT (BT-112) -Paid amount (BT-113) +Rounding amount
   * (BT-114).
   */
  'BR-CO-16': ({ totals: { gross, paid, rounding, due } }) => due === gross - (paid ?? 0n) + (rounding ?? 0n),
  /**
   * VAT category tax amount (BT-117) = VAT category taxable amount (BT-116) x (VAT category rate (BT-119) / 100),
   * rounded to two decimals.
   */
  'BR-CO-17': ({ breakdown }) =>
    breakdown.every((group) => {
      // The official rules tolerate a difference of one unit, and a rate that rounds to zero has no tax.
      if (group.rate === null || round(group.rate, PER_CENT) === 0n) return round(group.tax, UNIT) === 0n;
      return vatDifference(group, roundedTax(group)) <= UNIT;
    }),
  /** Country codes in an invoice MUST be coded using ISO code list 3166-1 */
  'BR-CL-14': ({ seller, buyer }) =>
    [seller, buyer].every(({ country }) => country === null || COUNTRY_CODES.has(country)),
};
