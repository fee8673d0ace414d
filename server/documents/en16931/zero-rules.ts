import {
  baseOf,
  groupsOf,
  has,
  isExplained,
  isRateZero,
  isSellerKnown,
  isUsed,
  of,
  type Rules,
} from './rule.ts';

/** The rules on zero rated sales, in the wording of the official validation rules 1.3.16. */
export const ZERO_RULES: Rules = {
  /**
   * An Invoice that contains an Invoice line (BG-25), a Document level allowance (BG-20) or a Document level charge
   * (BG-21) where the VAT category code (BT-151, BT-95 or BT-102) is "Zero rated" shall contain in the VAT breakdown
   * (BG-23) exactly one VAT category code (BT-118) equal with "Zero rated".
   */
  'BR-Z-01': (terms) => groupsOf(terms, 'Z').length === (isUsed(terms, 'Z') ? 1 : 0),
  /**
   * An Invoice that contains an Invoice line where the Invoiced item VAT category code (BT-151) is "Zero rated"
   * shall contain the Seller VAT Identifier (BT-31), the Seller tax registration identifier (BT-32) and/or the
   * Seller tax representative VAT identifier (BT-63).
   */
  'BR-Z-02': (terms) => !has(terms.lines, 'Z') || isSellerKnown(terms),
  /**
   * An Invoice that contains a Document level allowance (BG-20) where the Document level allowance VAT category code
   * (BT-95) is "Zero rated" shall contain the Seller VAT Identifier (BT-31), the Seller tax registration identifier
   * (BT-32) and/or the Seller tax representative VAT identifier (BT-63).
   */
  'BR-Z-03': (terms) => !has(terms.allowances, 'Z') || isSellerKnown(terms),
  /**
   * An Invoice that contains a Document level charge where the Document level charge VAT category code (BT-102) is
   * "Zero rated" shall contain the Seller VAT Identifier (BT-31), the Seller tax registration identifier (BT-32)
   * and/or the Seller tax representative VAT identifier (BT-63).
   */
  'BR-Z-04': (terms) => !has(terms.charges, 'Z') || isSellerKnown(terms),
  /**
   * In an Invoice line (BG-25) where the Invoiced item VAT category code (BT-151) is "Zero rated" the Invoiced item
   * VAT rate (BT-152) shall be 0 (zero).
   */
  'BR-Z-05': ({ lines }) => of(lines, 'Z').every(isRateZero),
  /**
   * In a Document level allowance (BG-20) where the Document level allowance VAT category code (BT-95) is "Zero
   * rated" the Document level allowance VAT rate (BT-96) shall be 0 (zero).
   */
  'BR-Z-06': ({ allowances }) => of(allowances, 'Z').every(isRateZero),
  /**
   * In a Document level charge (BG-21) where the Document level charge VAT category code (BT-102) is "Zero rated"
   * the Document level charge VAT rate (BT-103) shall be 0 (zero).
   */
  'BR-Z-07': ({ charges }) => of(charges, 'Z').every(isRateZero),
  /**
   * In a VAT breakdown (BG-23) where VAT category code (BT-118) is "Zero rated" the VAT category taxable amount
   * (BT-116) shall equal the sum of Invoice line net amount (BT-131) minus the sum of Document level allowance
   * amounts (BT-92) plus the sum of Document level charge amounts (BT-99) where the VAT category codes (BT-151,
   * BT-95, BT-102) are "Zero rated".
   */
  'BR-Z-08': (terms) => groupsOf(terms, 'Z').every(({ base }) => base === baseOf(terms, 'Z')),
  /**
   * The VAT category tax amount (BT-117) in a VAT breakdown (BG-23) where VAT category code (BT-118) is "Zero rated"
   * shall equal 0 (zero).
   */
  'BR-Z-09': (terms) => groupsOf(terms, 'Z').every(({ tax }) => tax === 0n),
  /**
   * A VAT Breakdown (BG-23) with VAT Category code (BT-118) "Zero rated" shall not have a VAT exemption reason code
   * (BT-121) or VAT exemption reason text (BT-120).
   */
  'BR-Z-10': (terms) => !groupsOf(terms, 'Z').some(isExplained),
};
