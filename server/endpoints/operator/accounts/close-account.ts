import { closeAccount as close } from '../../../domain/accounts/account-status.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { AccountParams, AccountShape } from './account-shape.ts';
import { changeStatus } from './change-status.ts';

export const closeAccount = endpoint({
  audience: 'operator',
  operation: 'closeAccount',
  method: 'POST',
  path: '/accounts/{id}/close',
  tag: 'account',
  summary: 'Close an account permanently',
  description: 'Refused while it has VMs, money or a debt. Its keys are revoked.',
  params: AccountParams,
  data: AccountShape,
  errors: ['invalid_state'],
  handle: async ({ params: { id }, services }) => ({
    data: await changeStatus(services, id, 'account closed', (tx) => close(tx, services.clock, id)),
  }),
});
