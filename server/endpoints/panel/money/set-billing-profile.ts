import { findBillingProfile } from '../../../db/queries/money/billing-profiles.ts';
import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { saveBillingProfile } from '../../../domain/billing/buyers.ts';
import { DOCUMENT_LANGUAGES } from '../../../domain/billing/invoice-document.ts';
import { recordAudit } from '../../../domain/people/audit.ts';
import { billingProfile } from '../../../domain/tax/billing-profile.ts';
import { documentWishes, MAX_BILLING_CONTACTS } from '../../../domain/tax/document-wishes.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input, Nullable } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { BilledShape, PROFILE_KINDS, presentBilled } from './billing-profile-shape.ts';

/** One line of an address as printed on invoices, without characters that would disturb them. */
const Line = (example: string, description?: string) =>
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[^\\p{C}]*[^\\p{C}\\s][^\\p{C}]*$',
    'x-expected': 'visible characters and spaces',
    ...(description && { description }),
    examples: [example],
  });

export const setBillingProfile = endpoint({
  audience: 'panel',
  operation: 'setBillingProfile',
  method: 'PUT',
  path: '/billing-profile',
  access: 'owner',
  tag: 'account',
  summary: 'Replace the billing details',
  description:
    'Issued invoices do not change. A tax exemption is set by the operator and stays as it is, and so do the order number, the language and the addresses if absent.',
  body: Input({
    kind: Enum(PROFILE_KINDS),
    name: Line('Example B.V.'),
    street: Line('Damrak 1'),
    city: Line('Amsterdam'),
    postcode: Type.Optional(Nullable(Line('1012 LG'))),
    country: Line('NL', 'ISO 3166-1 alpha-2'),
    vat_id: Type.Optional(Nullable(Line('NL004495445B01'))),
    order_reference: Type.Optional(Nullable(Line('PO-4711'))),
    language: Type.Optional(Nullable(Enum(DOCUMENT_LANGUAGES))),
    mail_to: Type.Optional(
      Type.Array(Type.String({ minLength: 1, maxLength: 254, examples: ['billing@example.com'] }), {
        maxItems: MAX_BILLING_CONTACTS,
      }),
    ),
  }),
  data: BilledShape,
  errors: ['invalid_state'],
  async handle({
    caller: { accountId, ip },
    session,
    body,
    db,
    services: { catalog, clock, documents },
    now,
  }) {
    await requireOpen(db, accountId);
    const before = await findBillingProfile(db, accountId);
    const { postcode = null, vat_id = null } = body;
    const { kind, name, street, city, country, order_reference } = body;
    await documents.requirePrintable({ name, street, city, postcode: body.postcode, order_reference });
    const profile = billingProfile({
      ...{ kind, name, street, city, country },
      postcode,
      vat_id,
      exempt_reason: before?.exempt_reason ?? null,
    });
    const row = await saveBillingProfile(db, catalog, {
      account_id: accountId,
      ...profile,
      ...documentWishes(body, before),
      updated_at: now,
    });
    await recordAudit(db, clock, {
      accountId,
      personId: session.personId,
      action: 'billing_profile.changed',
      details: { country: row.country, vat_id: row.vat_id, mail_to: row.mail_to },
      ip,
    });
    return { data: presentBilled(row, catalog) };
  },
});
