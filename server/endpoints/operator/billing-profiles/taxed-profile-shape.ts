import type { BillingProfileRow } from '../../../db/queries/billing-profiles.ts';
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
    updated_at: Timestamp(),
  },
  { $id: 'BillingProfile', description: "Who an account's invoices are for" },
);

export const TaxedProfileShape = Shape(
  {
    profile: Nullable(BillingProfileShape),
    tax: Shape({
      category: Enum(TAX_CATEGORIES),
      rate: Type.String({ description: 'Share of tax: "0.2" for 20 %' }),
      reason: Nullable(Type.String({ description: 'Why there is no tax; null where there is' })),
    }),
  },
  { $id: 'TaxedProfile', description: 'A profile, and how what its account buys is taxed from now on' },
);

export function presentProfile(profile: BillingProfileRow | undefined, rules: TaxRules) {
  return { profile: profile ?? null, tax: taxFor(rules, profile) };
}
