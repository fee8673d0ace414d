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

/** The rules on sales exempt from VAT, in the wording of the official validation rules 1.3.16. */
export const EXEMPT_RULES: Rules = {
  /**
   * An Invoice that contains an Invoice line (BG-25), a Document level allowance (BG-20) or a Document level charge
   * (BG-21) where the VAT category code (BT-151, BT-95 or BT-102) is "Exempt from VAT" shall contain exactly one VAT
   * breakdown (BG-23) with the VAT category code (BT-118) equal to "Exempt from VAT".
   */
  'BR-E-01': (terms) => groupsOf(terms, 'E').length === (isUsed(terms, 'E') ? 1 : 0),
  /**
   * An Invoice that contains an Invoice line (BG-25) where the Invoiced item VAT category code (BT-151) is "Exempt
   * from VAT" shall contain the Seller VAT Identifier (BT-31), the Seller tax registration identifier (BT-32) and/or
   * the Seller tax representative VAT identifier (BT-63).
   */
  'BR-E-02': (terms) => !has(terms.lines, 'E') || isSellerKnown(terms),
  /**
   * An Invoice that contains a Document level allowance (BG-20) where the Document level allowance VAT category code
   * (BT-95) is "Exempt from VAT" shall contain the Seller VAT Identifier (BT-31), the Seller tax registration
   * identifier (BT-32) and/or the Seller tax representative VAT identifier (BT-63).
   */
  'BR-E-03': (terms) => !has(terms.allowances, 'E') || isSellerKnown(terms),
  /**
   * An Invoice that contains a Document level charge (BG-21) where the Document level charge VAT category code
   * (BT-102) is "Exempt from VAT" shall contain the Seller VAT Identifier (BT-31), the Seller tax registration
   * identifier (BT-32) and/or the Seller tax representative VAT identifier (BT-63).
   */
  'BR-E-04': (terms) => !has(terms.charges, 'E') || isSellerKnown(terms),
  /**
   * In an Invoice line (BG-25) where the Invoiced item VAT category code (BT-151) is "Exempt from VAT", the Invoiced
   * item VAT rate (BT-152) shall be 0 (zero).
   */
  'BR-E-05': ({ lines }) => of(lines, 'E').every(isRateZero),
  /**
   * In a Document level allowance (BG-20) where the Document level allowance VAT category code (BT-95) is "Exempt
   * from VAT", the Document level allowance VAT rate (BT-96) shall be 0 (zero).
   */
  'BR-E-06': ({ allowances }) => of(allowances, 'E').every(isRateZero),
  /**
   * In a Document level charge (BG-21) where the Document level charge VAT category code (BT-102) is "Exempt from
   * VAT", the Document level charge VAT rate (BT-103) shall be 0 (zero).
   */
  'BR-E-07': ({ charges }) => of(charges, 'E').every(isRateZero),
  /**
   * In a VAT breakdown (BG-23) where the VAT category code (BT-118) is "Exempt from VAT" the VAT category taxable
   * amount (BT-116) shall equal the sum of Invoice line net amounts (BT-131) minus the sum of Document level
   * allowance amounts (BT-92) plus the sum of Document level charge amounts (BT-99) where the VAT category codes
   * (BT-151, BT-95, BT-102) are "Exempt from VAT".
   */
  'BR-E-08': (terms) => groupsOf(terms, 'E').every(({ base }) => base === baseOf(terms, 'E')),
  /**
   * The VAT category tax amount (BT-117) In a VAT breakdown (BG-23) where the VAT category code (BT-118) equals
   * "Exempt from VAT" shall equal 0 (zero).
   */
  'BR-E-09': (terms) => groupsOf(terms, 'E').every(({ tax }) => tax === 0n),
  /**
   * A VAT Breakdown (BG-23) with VAT Category code (BT-118) "Exempt from VAT" shall have a VAT exemption reason code
   * (BT-121) or a VAT exemption reason text (BT-120).
   */
  'BR-E-10': (terms) => groupsOf(terms, 'E').every(isExplained),
};
