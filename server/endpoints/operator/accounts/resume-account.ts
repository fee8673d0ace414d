import { setSuspended } from '../../../domain/accounts/account-status.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { AccountParams, AccountShape } from './account-shape.ts';
import { changeStatus } from './change-status.ts';

export const resumeAccount = endpoint({
  audience: 'operator',
  operation: 'resumeAccount',
  method: 'POST',
  path: '/accounts/{id}/resume',
  tag: 'account',
  summary: 'End the suspension of an account',
  params: AccountParams,
  data: AccountShape,
  errors: ['invalid_state'],
  handle: async ({ params: { id }, services }) => ({
    data: await changeStatus(services, id, 'account resumed', (tx) => setSuspended(tx, id, false)),
  }),
});
