import type { BillingProfileRow } from '../../../db/queries/money/billing-profiles.ts';
import { DOCUMENT_LANGUAGES } from '../../../domain/billing/invoice-document.ts';
import { TAX_CATEGORIES, type TaxRules, taxFor } from '../../../domain/tax/tax.ts';
import { Enum, Nullable, Shape, Timestamp } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const PROFILE_KINDS = ['business', 'consumer'] as const;

const ProfileShape = Shape(
  {
    kind: Enum(PROFILE_KINDS),
    name: Type.String(),
    street: Type.String(),
    city: Type.String(),
    postcode: Nullable(Type.String()),
    country: Type.String({ description: 'ISO 3166-1 alpha-2', examples: ['DE'] }),
    vat_id: Nullable(Type.String()),
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
  { $id: 'BillingProfile', description: 'Recipient of the invoices' },
);

export const BilledShape = Shape(
  {
    profile: Nullable(ProfileShape),
    tax: Shape({
      category: Enum(TAX_CATEGORIES),
      rate: Type.String({ description: 'Tax rate: "0.2" for 20 %' }),
      reason: Nullable(Type.String({ description: 'The reason why there is no tax; null if there is tax' })),
    }),
  },
  { $id: 'BilledAs', description: 'Recipient of the invoices, and the tax on purchases from now on' },
);

export function presentBilled(row: BillingProfileRow | undefined, rules: TaxRules) {
  const profile = row && {
    kind: row.kind,
    name: row.name,
    street: row.street,
    city: row.city,
    postcode: row.postcode,
    country: row.country,
    vat_id: row.vat_id,
    order_reference: row.order_reference,
    language: row.language,
    mail_to: row.mail_to,
    updated_at: row.updated_at,
  };
  return { profile: profile ?? null, tax: taxFor(rules, row) };
}
