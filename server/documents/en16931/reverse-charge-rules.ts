import {
  baseOf,
  groupsOf,
  has,
  isBuyerKnown,
  isExplained,
  isRateZero,
  isSellerKnown,
  isUsed,
  of,
  type Rules,
} from './rule.ts';

/** The rules on sales whose VAT the buyer pays, in the wording of the official validation rules 1.3.16. */
export const REVERSE_CHARGE_RULES: Rules = {
  /**
   * An Invoice that contains an Invoice line (BG-25), a Document level allowance (BG-20) or a Document level charge
   * (BG-21) where the VAT category code (BT-151, BT-95 or BT-102) is "Reverse charge" shall contain in the VAT
   * breakdown (BG-23) exactly one VAT category code (BT-118) equal with "VAT reverse charge".
   */
  'BR-AE-01': (terms) => groupsOf(terms, 'AE').length === (isUsed(terms, 'AE') ? 1 : 0),
  /**
   * An Invoice that contains an Invoice line (BG-25) where the Invoiced item VAT category code (BT-151) is "Reverse
   * charge" shall contain the Seller VAT Identifier (BT-31), the Seller Tax registration identifier (BT-32) and/or
   * the Seller tax representative VAT identifier (BT-63) and the Buyer VAT identifier (BT-48) and/or the Buyer legal
   * registration identifier (BT-47).
   */
  'BR-AE-02': (terms) => !has(terms.lines, 'AE') || (isSellerKnown(terms) && isBuyerKnown(terms)),
  /**
   * An Invoice that contains a Document level allowance (BG-20) where the Document level allowance VAT category code
   * (BT-95) is "Reverse charge" shall contain the Seller VAT Identifier (BT-31), the Seller tax registration
   * identifier (BT-32) and/or the Seller tax representative VAT identifier (BT-63) and the Buyer VAT identifier
   * (BT-48) and/or the Buyer legal registration identifier (BT-47).
   */
  'BR-AE-03': (terms) => !has(terms.allowances, 'AE') || (isSellerKnown(terms) && isBuyerKnown(terms)),
  /**
   * An Invoice that contains a Document level charge (BG-21) where the Document level charge VAT category code
   * (BT-102) is "Reverse charge" shall contain the Seller VAT Identifier (BT-31), the Seller tax registration
   * identifier (BT-32) and/or the Seller tax representative VAT identifier (BT-63) and the Buyer VAT identifier
   * (BT-48) and/or the Buyer legal registration identifier (BT-47).
   */
  'BR-AE-04': (terms) => !has(terms.charges, 'AE') || (isSellerKnown(terms) && isBuyerKnown(terms)),
  /**
   * In an Invoice line (BG-25) where the Invoiced item VAT category code (BT-151) is "Reverse charge" the Invoiced
   * item VAT rate (BT-152) shall be 0 (zero).
   */
  'BR-AE-05': ({ lines }) => of(lines, 'AE').every(isRateZero),
  /**
   * In a Document level allowance (BG-20) where the Document level allowance VAT category code (BT-95) is "Reverse
   * charge" the Document level allowance VAT rate (BT-96) shall be 0 (zero).
   */
  'BR-AE-06': ({ allowances }) => of(allowances, 'AE').every(isRateZero),
  /**
   * In a Document level charge (BG-21) where the Document level charge VAT category code (BT-102) is "Reverse
   * charge" the Document level charge VAT rate (BT-103) shall be 0 (zero).
   */
  'BR-AE-07': ({ charges }) => of(charges, 'AE').every(isRateZero),
  /**
   * In a VAT breakdown (BG-23) where the VAT category code (BT-118) is "Reverse charge" the VAT category taxable
   * amount (BT-116) shall equal the sum of Invoice line net amounts (BT-131) minus the sum of Document level
   * allowance amounts (BT-92) plus the sum of Document level charge amounts (BT-99) where the VAT category codes
   * (BT-151, BT-95, BT-102) are "Reverse charge".
   */
  'BR-AE-08': (terms) => groupsOf(terms, 'AE').every(({ base }) => base === baseOf(terms, 'AE')),
  /**
   * The VAT category tax amount (BT-117) in a VAT breakdown (BG-23) where the VAT category code (BT-118) is "Reverse
   * charge" shall be 0 (zero).
   */
  'BR-AE-09': (terms) => groupsOf(terms, 'AE').every(({ tax }) => tax === 0n),
  /**
   * A VAT Breakdown (BG-23) with VAT Category code (BT-118) "Reverse charge" shall have a VAT exemption reason code
   * (BT-121), meaning "Reverse charge" or the VAT exemption reason text (BT-120) "Reverse charge" (or the equivalent
   * standard text in another language).
   */
  'BR-AE-10': (terms) => groupsOf(terms, 'AE').every(isExplained),
};
