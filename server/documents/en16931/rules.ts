import { EXEMPT_RULES } from './exempt-rules.ts';
import { OUTSIDE_RULES } from './outside-rules.ts';
import { REVERSE_CHARGE_RULES } from './reverse-charge-rules.ts';
import type { Rules } from './rule.ts';
import { STANDARD_RULES } from './standard-rules.ts';
import type { EInvoiceTerms } from './terms.ts';
import { TOTAL_RULES } from './total-rules.ts';
import { ZERO_RULES } from './zero-rules.ts';

/**
 * The rules of EN 16931 that depend on what was sold, to whom and at which tax rate, by their official ids. The other
 * rules, on form and order, are ensured by the schema and by the way the XML is built. The wording is that of the
 * European Commission's validation rules (https://github.com/ConnectingEurope/eInvoicing-EN16931, release 1.3.16);
 * their Schematron is not part of this repository.
 */
export const RULES: Rules = {
  ...TOTAL_RULES,
  ...STANDARD_RULES,
  ...ZERO_RULES,
  ...EXEMPT_RULES,
  ...REVERSE_CHARGE_RULES,
  ...OUTSIDE_RULES,
};

/** Returns the ids of the rules that an e-invoice breaks. */
export function brokenRules(terms: EInvoiceTerms): string[] {
  return Object.keys(RULES).filter((id) => !RULES[id]!(terms));
}
