import { ApiError, type FieldProblem, validationFailed } from '../../platform/errors.ts';
import type { FieldCode } from '../../platform/field-codes.ts';
import { countryName, isCountry, notACountry, vatPrefix } from './countries.ts';
import type { TaxedBuyer } from './tax.ts';
import { hasVatFormat, normalizeVatId } from './vat-id.ts';

/** The buyer named on invoices. `country` is ISO 3166-1 alpha-2, `vat_id` is normalized. */
export interface BillingProfile extends TaxedBuyer {
  name: string;
  street: string;
  city: string;
  postcode: string | null;
}

/** Returns why a VAT id is not one of `country`; undefined if it is. */
export function vatIdProblem(country: string, vatId: string): string | undefined {
  if (hasVatFormat(country, normalizeVatId(vatId))) return undefined;
  return `is not a VAT id of ${countryName(country)}, which begins with ${vatPrefix(country)}`;
}

/** Returns a profile as stored. Throws `validation_failed` with every invalid field. */
export function billingProfile(input: BillingProfile): BillingProfile {
  const country = input.country.toUpperCase();
  const problems: FieldProblem[] = [];
  const wrong = (field: string, code: FieldCode, message: string) => problems.push({ field, code, message });
  if (!isCountry(country)) wrong('country', 'not_found', notACountry(input.country));
  if (input.vat_id !== null) {
    const problem = problems.length === 0 && vatIdProblem(country, input.vat_id);
    if (problem) wrong('vat_id', 'invalid_format', problem);
    if (input.kind === 'consumer') wrong('vat_id', 'not_allowed', 'only a business has a VAT id');
  }
  if (problems.length > 0) throw validationFailed(problems);
  return { ...input, country, vat_id: input.vat_id === null ? null : normalizeVatId(input.vat_id) };
}

/**
 * Refuses a purchase while the buyer's country is invalid, which is possible in profiles from before codes were checked
 * against a table: with the wrong country the sale could be taxed wrongly, and that cannot be corrected afterwards.
 */
export function requireKnownCountry(buyer: TaxedBuyer | undefined): void {
  if (!buyer || isCountry(buyer.country)) return;
  const { country } = buyer;
  throw new ApiError(
    'invalid_state',
    `The country of your billing details ${notACountry(country)}. Correct it, then order again.`,
    { country },
  );
}
