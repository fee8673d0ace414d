import { endpoint } from '../../../http/endpoint.ts';
import { AutoTopUpShape, presentAutoTopUp } from './auto-top-up-shape.ts';

export const getAutoTopUp = endpoint({
  audience: 'panel',
  operation: 'getAutoTopUp',
  method: 'GET',
  path: '/auto-top-up',
  access: 'viewer',
  tag: 'money',
  summary: 'Get the settings of automatic top-up',
  data: AutoTopUpShape,
  errors: [],
  async handle({ caller, db, services }) {
    return { data: await presentAutoTopUp(db, caller.accountId, services.catalog) };
  },
});
