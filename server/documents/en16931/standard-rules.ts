import {
  baseOf,
  groupsOf,
  has,
  isExplained,
  isSellerKnown,
  isTaxed,
  isUsed,
  of,
  type Rules,
  UNIT,
  vatDifference,
  wholeTax,
} from './rule.ts';

/** The rules on standard rated sales, in the wording of the official validation rules 1.3.16. */
export const STANDARD_RULES: Rules = {
  /**
   * An Invoice that contains an Invoice line (BG-25), a Document level allowance (BG-20) or a Document level charge
   * (BG-21) where the VAT category code (BT-151, BT-95 or BT-102) is "Standard rated" shall contain in the VAT
   * breakdown (BG-23) at least one VAT category code (BT-118) equal with "Standard rated".
   */
  'BR-S-01': (terms) => !isUsed(terms, 'S') || groupsOf(terms, 'S').length > 0,
  /**
   * An Invoice that contains an Invoice line (BG-25) where the Invoiced item VAT category code (BT-151) is "Standard
   * rated" shall contain the Seller VAT Identifier (BT-31), the Seller tax registration identifier (BT-32) and/or
   * the Seller tax representative VAT identifier (BT-63).
   */
  'BR-S-02': (terms) => !has(terms.lines, 'S') || isSellerKnown(terms),
  /**
   * An Invoice that contains a Document level allowance (BG-20) where the Document level allowance VAT category code
   * (BT-95) is "Standard rated" shall contain the Seller VAT Identifier (BT-31), the Seller tax registration
   * identifier (BT-32) and/or the Seller tax representative VAT identifier (BT-63).
   */
  'BR-S-03': (terms) => !has(terms.allowances, 'S') || isSellerKnown(terms),
  /**
   * An Invoice that contains a Document level charge (BG-21) where the Document level charge VAT category code
   * (BT-102) is "Standard rated" shall contain the Seller VAT Identifier (BT-31), the Seller tax registration
   * identifier (BT-32) and/or the Seller tax representative VAT identifier (BT-63).
   */
  'BR-S-04': (terms) => !has(terms.charges, 'S') || isSellerKnown(terms),
  /**
   * In an Invoice line (BG-25) where the Invoiced item VAT category code (BT-151) is "Standard rated" the Invoiced
   * item VAT rate (BT-152) shall be greater than zero.
   */
  'BR-S-05': ({ lines }) => of(lines, 'S').every(isTaxed),
  /**
   * In a Document level allowance (BG-20) where the Document level allowance VAT category code (BT-95) is "Standard
   * rated" the Document level allowance VAT rate (BT-96) shall be greater than zero.
   */
  'BR-S-06': ({ allowances }) => of(allowances, 'S').every(isTaxed),
  /**
   * In a Document level charge (BG-21) where the Document level charge VAT category code (BT-102) is "Standard
   * rated" the Document level charge VAT rate (BT-103) shall be greater than zero.
   */
  'BR-S-07': ({ charges }) => of(charges, 'S').every(isTaxed),
  /**
   * For each different value of VAT category rate (BT-119) where the VAT category code (BT-118) is "Standard rated",
   * the VAT category taxable amount (BT-116) in a VAT breakdown (BG-23) shall equal the sum of Invoice line net
   * amounts (BT-131) plus the sum of document level charge amounts (BT-99) minus the sum of document level allowance
   * amounts (BT-92) where the VAT category code (BT-151, BT-102, BT-95) is "Standard rated" and the VAT rate
   * (BT-152, BT-103, BT-96) equals the VAT category rate (BT-119).
   */
  'BR-S-08': (terms) => groupsOf(terms, 'S').every((group) => group.base === baseOf(terms, 'S', group.rate)),
  /**
   * The VAT category tax amount (BT-117) in a VAT breakdown (BG-23) where VAT category code (BT-118) is "Standard
   * rated" shall equal the VAT category taxable amount (BT-116) multiplied by the VAT category rate (BT-119).
   */
  'BR-S-09': (terms) =>
    // The official rules tolerate a difference of less than one unit.
    groupsOf(terms, 'S').every((group) => vatDifference(group, wholeTax(group)) < UNIT),
  /**
   * A VAT Breakdown (BG-23) with VAT Category code (BT-118) "Standard rate" shall not have a VAT exemption reason
   * code (BT-121) or VAT exemption reason text (BT-120).
   */
  'BR-S-10': (terms) => !groupsOf(terms, 'S').some(isExplained),
};
