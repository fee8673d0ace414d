import { putBillingProfile } from '../../../db/queries/billing-profiles.ts';
import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { billingProfile } from '../../../domain/tax/billing-profile.ts';
import { Enum, Input } from '../../../http/schemas.ts';
import { operatorEndpoint } from '../../../operator/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { Line, requireReadable } from '../shared/input.ts';
import { PROFILE_KINDS, presentProfile, TaxedProfileShape } from './taxed-profile-shape.ts';

export const setBillingProfile = operatorEndpoint({
  operation: 'setBillingProfile',
  method: 'POST',
  path: '/accounts/{id}/billing-profile',
  tag: 'money',
  summary: 'Replace who the invoices of an account are for',
  params: AccountParams,
  body: Input({
    kind: Enum(PROFILE_KINDS),
    name: Line('Example B.V.'),
    street: Line('Damrak 1'),
    city: Line('Amsterdam'),
    postcode: Type.Optional(Line('1012 LG')),
    country: Line('NL', 'ISO 3166-1 alpha-2'),
    vat_id: Type.Optional(Line('NL004495445B01')),
    exempt_reason: Type.Optional(Line('Diplomatic mission', 'Why it pays no tax, as it stands on invoices')),
  }),
  data: TaxedProfileShape,
  errors: ['invalid_state'],
  async handle({ params: { id }, body, services: { catalog, clock, db, logger } }) {
    for (const [field, text] of Object.entries(body)) requireReadable(field, text);
    const { postcode = null, vat_id = null, exempt_reason = null } = body;
    const profile = billingProfile({ ...body, postcode, vat_id, exempt_reason });
    const row = await db.transaction(async (tx) => {
      await requireAccount(tx, id);
      await requireOpen(tx, id);
      return putBillingProfile(tx, { account_id: id, ...profile, updated_at: clock.now() });
    });
    logger.info({ account_id: id, country: row.country }, 'billing profile changed');
    return { data: presentProfile(row, catalog) };
  },
});
