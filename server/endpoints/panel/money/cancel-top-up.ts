import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { callOff, cancelTopUp as cancel } from '../../../payments/cancel-top-up.ts';
import { presentTopUp, TopUpParams, TopUpShape } from './top-up-shape.ts';

export const cancelTopUp = endpoint({
  audience: 'panel',
  operation: 'cancelTopUp',
  method: 'POST',
  path: '/top-ups/{id}/cancel',
  access: 'operator',
  tag: 'money',
  summary: 'Cancel an unpaid top-up',
  description:
    'Also closes the page of the provider. A bank transfer that is already on its way is booked when it arrives.',
  params: TopUpParams,
  data: TopUpShape,
  errors: ['not_found', 'invalid_state', 'service_unavailable'],
  prepare: ({ caller, params, services }) => callOff(services, caller.accountId, params.id),
  async handle({ caller, session, params, db, services }) {
    const topUp = await cancel(db, services, caller.accountId, params.id);
    await recordAudit(db, services.clock, {
      accountId: caller.accountId,
      personId: session.personId,
      action: 'top_up.canceled',
      subjectId: topUp.id,
      ip: caller.ip,
    });
    return { data: presentTopUp(topUp) };
  },
});
