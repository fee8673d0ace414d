import { findBillingProfile } from '../../../db/queries/money/billing-profiles.ts';
import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { saveBillingProfile } from '../../../domain/billing/buyers.ts';
import { DOCUMENT_LANGUAGES } from '../../../domain/billing/invoice-document.ts';
import { billingProfile } from '../../../domain/tax/billing-profile.ts';
import { documentWishes, MAX_BILLING_CONTACTS } from '../../../domain/tax/document-wishes.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input, Nullable } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { Line, requireReadable } from '../shared/input.ts';
import { PROFILE_KINDS, presentProfile, TaxedProfileShape } from './taxed-profile-shape.ts';

export const setBillingProfile = endpoint({
  audience: 'operator',
  operation: 'setBillingProfile',
  method: 'POST',
  path: '/accounts/{id}/billing-profile',
  tag: 'money',
  summary: 'Replace the billing details of an account',
  params: AccountParams,
  body: Input({
    kind: Enum(PROFILE_KINDS),
    name: Line('Example B.V.'),
    street: Line('Damrak 1'),
    city: Line('Amsterdam'),
    postcode: Type.Optional(Line('1012 LG')),
    country: Line('NL', 'ISO 3166-1 alpha-2'),
    vat_id: Type.Optional(Line('NL004495445B01')),
    exempt_reason: Type.Optional(
      Line('Diplomatic mission', 'Reason for the tax exemption, as printed on invoices'),
    ),
    order_reference: Type.Optional(Nullable(Line('PO-4711'))),
    language: Type.Optional(Nullable(Enum(DOCUMENT_LANGUAGES))),
    mail_to: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 254, examples: ['billing@example.com'] }), {
        maxItems: MAX_BILLING_CONTACTS,
      }),
    ),
  }),
  data: TaxedProfileShape,
  errors: ['invalid_state'],
  async handle({ params: { id }, body, services: { catalog, clock, db, documents, logger } }) {
    for (const [field, text] of Object.entries(body))
      if (typeof text === 'string') requireReadable(field, text);
    const { postcode = null, vat_id = null, exempt_reason = null } = body;
    const { kind, name, street, city, country, order_reference } = body;
    await documents.requirePrintable({ name, street, city, postcode, order_reference, exempt_reason });
    const profile = billingProfile({ kind, name, street, city, country, postcode, vat_id, exempt_reason });
    const row = await db.transaction(async (tx) => {
      await requireAccount(tx, id);
      await requireOpen(tx, id);
      const wishes = documentWishes(body, await findBillingProfile(tx, id));
      return saveBillingProfile(tx, catalog, {
        account_id: id,
        ...profile,
        ...wishes,
        updated_at: clock.now(),
      });
    });
    logger.info({ account_id: id, country: row.country }, 'billing profile changed');
    return { data: presentProfile(row, catalog) };
  },
});
