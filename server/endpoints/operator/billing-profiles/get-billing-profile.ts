import { findBillingProfile } from '../../../db/queries/money/billing-profiles.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { presentProfile, TaxedProfileShape } from './taxed-profile-shape.ts';

export const getBillingProfile = endpoint({
  audience: 'operator',
  operation: 'getBillingProfile',
  method: 'GET',
  path: '/accounts/{id}/billing-profile',
  tag: 'money',
  summary: 'Get the billing details of an account',
  params: AccountParams,
  data: TaxedProfileShape,
  errors: [],
  async handle({ params: { id }, services: { catalog, db } }) {
    await requireAccount(db, id);
    return { data: presentProfile(await findBillingProfile(db, id), catalog) };
  },
});
