import { findBillingProfile } from '../../../db/queries/money/billing-profiles.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { BilledShape, presentBilled } from './billing-profile-shape.ts';

export const getBillingProfile = endpoint({
  audience: 'panel',
  operation: 'getBillingProfile',
  method: 'GET',
  path: '/billing-profile',
  access: 'viewer',
  tag: 'account',
  summary: 'Get the billing details',
  data: BilledShape,
  errors: [],
  async handle({ caller, db, services: { catalog } }) {
    return { data: presentBilled(await findBillingProfile(db, caller.accountId), catalog) };
  },
});
