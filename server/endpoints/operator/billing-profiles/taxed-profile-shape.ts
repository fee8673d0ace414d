import type { BillingProfileRow } from '../../../db/queries/money/billing-profiles.ts';
import { DOCUMENT_LANGUAGES } from '../../../domain/billing/invoice-document.ts';
import { TAX_CATEGORIES, type TaxRules, taxFor } from '../../../domain/tax/tax.ts';
import { Enum, Id, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const PROFILE_KINDS = ['business', 'consumer'] as const;

const BillingProfileShape = Shape(
  {
    account_id: Id('acc'),
    kind: Enum(PROFILE_KINDS),
    name: Type.String(),
    street: Type.String(),
    city: Type.String(),
    postcode: Nullable(Type.String()),
    country: Type.String({ description: 'ISO 3166-1 alpha-2' }),
    vat_id: Nullable(Type.String()),
    exempt_reason: Nullable(Type.String()),
    order_reference: Nullable(
      Type.String({ description: "The customer's own number, printed on documents" }),
    ),
    language: Nullable(
      Enum(DOCUMENT_LANGUAGES, {
        description:
          "Language of documents and the mails with them; null for the language of the account's first owner",
      }),
    ),
    mail_to: Type.Array(Type.String(), {
      description: 'Addresses that documents are mailed to; if there are none, they go to the owners',
    }),
    updated_at: Timestamp(),
  },
  { $id: 'BillingProfile', description: "Recipient of an account's invoices" },
);

export const TaxedProfileShape = Shape(
  {
    profile: Nullable(BillingProfileShape),
    tax: Shape({
      category: Enum(TAX_CATEGORIES),
      rate: Type.String({ description: 'Tax rate: "0.2" for 20 %' }),
      reason: Nullable(Type.String({ description: 'The reason why there is no tax; null if there is tax' })),
    }),
  },
  { $id: 'TaxedProfile', description: 'Billing details, and the tax on purchases from now on' },
);

export function presentProfile(profile: BillingProfileRow | undefined, rules: TaxRules) {
  return { profile: profile ?? null, tax: taxFor(rules, profile) };
}
