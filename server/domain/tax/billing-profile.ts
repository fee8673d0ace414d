import { type FieldProblem, validationFailed } from '../../platform/errors.ts';
import type { FieldCode } from '../../platform/field-codes.ts';
import { countryName, isCountry } from './countries.ts';
import type { TaxedBuyer } from './tax.ts';
import { hasVatFormat, normalizeVatId, vatPrefix } from './vat-id.ts';

/** Who buys, as invoices name them. `country` is ISO 3166-1 alpha-2, `vat_id` normalized. */
export interface BillingProfile extends TaxedBuyer {
  name: string;
  street: string;
  city: string;
  postcode: string | null;
}

/** What a VAT id must be to be one of `country`; undefined where it is. */
export function vatIdProblem(country: string, vatId: string): string | undefined {
  if (hasVatFormat(country, normalizeVatId(vatId))) return undefined;
  return `is not a VAT id of ${countryName(country)}, which begins with ${vatPrefix(country)}`;
}

/** A profile as it is stored. Throws `validation_failed` with every field that makes no sense. */
export function billingProfile(input: BillingProfile): BillingProfile {
  const country = input.country.toUpperCase();
  const problems: FieldProblem[] = [];
  const wrong = (field: string, code: FieldCode, message: string) => problems.push({ field, code, message });
  if (!isCountry(country))
    wrong('country', 'unknown', 'must be the ISO 3166-1 code of a country, such as DE');
  if (input.vat_id !== null) {
    const problem = problems.length === 0 && vatIdProblem(country, input.vat_id);
    if (problem) wrong('vat_id', 'invalid_format', problem);
    if (input.kind === 'consumer') wrong('vat_id', 'not_allowed', 'only a business has a VAT id');
  }
  if (problems.length > 0) throw validationFailed(problems);
  return { ...input, country, vat_id: input.vat_id === null ? null : normalizeVatId(input.vat_id) };
}
