import {
  baseOf,
  groupsOf,
  has,
  isExplained,
  isRateAbsent,
  isUsed,
  isVatIdNamed,
  of,
  type Rules,
} from './rule.ts';
import type { CategoryCode, EInvoiceTerms } from './terms.ts';

const isO = ({ category }: { category: CategoryCode }) => category === 'O';
const isOutside = (terms: EInvoiceTerms) => groupsOf(terms, 'O').length > 0;

/** The rules on sales that are not subject to VAT, in the wording of the official validation rules 1.3.16. */
export const OUTSIDE_RULES: Rules = {
  /**
   * An Invoice that contains an Invoice line (BG-25), a Document level allowance (BG-20) or a Document level charge
   * (BG-21) where the VAT category code (BT-151, BT-95 or BT-102) is "Not subject to VAT" shall contain exactly one
   * VAT breakdown group (BG-23) with the VAT category code (BT-118) equal to "Not subject to VAT".
   */
  'BR-O-01': (terms) => groupsOf(terms, 'O').length === (isUsed(terms, 'O') ? 1 : 0),
  /**
   * An Invoice that contains an Invoice line (BG-25) where the Invoiced item VAT category code (BT-151) is "Not
   * subject to VAT" shall not contain the Seller VAT identifier (BT-31), the Seller tax representative VAT
   * identifier (BT-63) or the Buyer VAT identifier (BT-48).
   */
  'BR-O-02': (terms) => !has(terms.lines, 'O') || !isVatIdNamed(terms),
  /**
   * An Invoice that contains a Document level allowance (BG-20) where the Document level allowance VAT category code
   * (BT-95) is "Not subject to VAT" shall not contain the Seller VAT identifier (BT-31), the Seller tax
   * representative VAT identifier (BT-63) or the Buyer VAT identifier (BT-48).
   */
  'BR-O-03': (terms) => !has(terms.allowances, 'O') || !isVatIdNamed(terms),
  /**
   * An Invoice that contains a Document level charge (BG-21) where the Document level charge VAT category code
   * (BT-102) is "Not subject to VAT" shall not contain the Seller VAT identifier (BT-31), the Seller tax
   * representative VAT identifier (BT-63) or the Buyer VAT identifier (BT-48).
   */
  'BR-O-04': (terms) => !has(terms.charges, 'O') || !isVatIdNamed(terms),
  /**
   * An Invoice line (BG-25) where the VAT category code (BT-151) is "Not subject to VAT" shall not contain an
   * Invoiced item VAT rate (BT-152).
   */
  'BR-O-05': ({ lines }) => of(lines, 'O').every(isRateAbsent),
  /**
   * A Document level allowance (BG-20) where VAT category code (BT-95) is "Not subject to VAT" shall not contain a
   * Document level allowance VAT rate (BT-96).
   */
  'BR-O-06': ({ allowances }) => of(allowances, 'O').every(isRateAbsent),
  /**
   * A Document level charge (BG-21) where the VAT category code (BT-102) is "Not subject to VAT" shall not contain a
   * Document level charge VAT rate (BT-103).
   */
  'BR-O-07': ({ charges }) => of(charges, 'O').every(isRateAbsent),
  /**
   * In a VAT breakdown (BG-23) where the VAT category code (BT-118) is " Not subject to VAT" the VAT category
   * taxable amount (BT-116) shall equal the sum of Invoice line net amounts (BT-131) minus the sum of Document level
   * allowance amounts (BT-92) plus the sum of Document level charge amounts (BT-99) where the VAT category codes
   * (BT-151, BT-95, BT-102) are "Not subject to VAT".
   */
  'BR-O-08': (terms) => groupsOf(terms, 'O').every(({ base }) => base === baseOf(terms, 'O')),
  /**
   * The VAT category tax amount (BT-117) in a VAT breakdown (BG-23) where the VAT category code (BT-118) is "Not
   * subject to VAT" shall be 0 (zero).
   */
  'BR-O-09': (terms) => groupsOf(terms, 'O').every(({ tax }) => tax === 0n),
  /**
   * A VAT Breakdown (BG-23) with VAT Category code (BT-118) " Not subject to VAT" shall have a VAT exemption reason
   * code (BT-121), meaning " Not subject to VAT" or a VAT exemption reason text (BT-120) " Not subject to VAT" (or
   * the equivalent standard text in another language).
   */
  'BR-O-10': (terms) => groupsOf(terms, 'O').every(isExplained),
  /**
   * An Invoice that contains a VAT breakdown group (BG-23) with a VAT category code (BT-118) "Not subject to VAT"
   * shall not contain other VAT breakdown groups (BG-23).
   */
  'BR-O-11': (terms) => !isOutside(terms) || terms.breakdown.every(isO),
  /**
   * An Invoice that contains a VAT breakdown group (BG-23) with a VAT category code (BT-118) "Not subject to VAT"
   * shall not contain an Invoice line (BG-25) where the Invoiced item VAT category code (BT-151) is not "Not subject
   * to VAT".
   */
  'BR-O-12': (terms) => !isOutside(terms) || terms.lines.every(isO),
  /**
   * An Invoice that contains a VAT breakdown group (BG-23) with a VAT category code (BT-118) "Not subject to VAT"
   * shall not contain Document level allowances (BG-20) where Document level allowance VAT category code (BT-95) is
   * not "Not subject to VAT".
   */
  'BR-O-13': (terms) => !isOutside(terms) || terms.allowances.every(isO),
  /**
   * An Invoice that contains a VAT breakdown group (BG-23) with a VAT category code (BT-118) "Not subject to VAT"
   * shall not contain Document level charges (BG-21) where Document level charge VAT category code (BT-102) is not
   * "Not subject to VAT".
   */
  'BR-O-14': (terms) => !isOutside(terms) || terms.charges.every(isO),
};
