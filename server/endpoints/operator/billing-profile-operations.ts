import type { FastifyInstance } from 'fastify';
import {
  type BillingProfileRow,
  findBillingProfile,
  putBillingProfile,
} from '../../db/queries/billing-profiles.ts';
import { requireOpen } from '../../domain/accounts/account-status.ts';
import { billingProfile } from '../../domain/tax/billing-profile.ts';
import { type TaxRules, taxFor } from '../../domain/tax/tax.ts';
import { Enum, Input } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { Type } from '../../platform/schema.ts';
import { requireAccount } from './account-operations.ts';
import { Line, requireReadable } from './shared/input.ts';

const NewProfile = Input({
  kind: Enum(['business', 'consumer']),
  name: Line,
  street: Line,
  city: Line,
  postcode: Type.Optional(Line),
  country: Line,
  vat_id: Type.Optional(Line),
  exempt_reason: Type.Optional(Line),
});

/** A profile, and how what its account buys is taxed from now on. */
function present(profile: BillingProfileRow | undefined, rules: TaxRules) {
  return { profile: profile ?? null, tax: taxFor(rules, profile) };
}

export function registerBillingProfileOperations(app: FastifyInstance, services: OperatorServices): void {
  const path = '/accounts/:id/billing-profile';

  register(app, services, {
    method: 'GET',
    path,
    async handle({ id, services: { catalog, db } }) {
      await requireAccount(db, id);
      return { data: present(await findBillingProfile(db, id), catalog) };
    },
  });

  register(app, services, {
    method: 'POST',
    path,
    body: NewProfile,
    async handle({ id, body, services: { catalog, clock, db, logger } }) {
      for (const [field, text] of Object.entries(body)) requireReadable(field, text);
      const { postcode = null, vat_id = null, exempt_reason = null } = body;
      const profile = billingProfile({ ...body, postcode, vat_id, exempt_reason });
      const row = await db.transaction(async (tx) => {
        await requireAccount(tx, id);
        await requireOpen(tx, id);
        return putBillingProfile(tx, { account_id: id, ...profile, updated_at: clock.now() });
      });
      logger.info({ account_id: id, country: row.country }, 'billing profile changed');
      return { data: present(row, catalog) };
    },
  });
}
