import { isAtLeast } from '../../../access/roles.ts';
import { findTopUp } from '../../../db/queries/money/top-ups.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { nextStepOf } from '../../../payments/start-top-up.ts';
import { notFound } from '../../../platform/errors.ts';
import { OneTopUpShape, presentTopUp, TopUpParams } from './top-up-shape.ts';

export const getTopUp = endpoint({
  audience: 'panel',
  operation: 'getTopUp',
  method: 'GET',
  path: '/top-ups/{id}',
  access: 'viewer',
  tag: 'money',
  summary: 'Get a top-up',
  params: TopUpParams,
  description: '`next` is the next step of an unpaid top-up; null for people whose role may not top up.',
  data: OneTopUpShape,
  errors: ['not_found'],
  async handle({ caller, session, params, db, services }) {
    const topUp = await findTopUp(db, caller.accountId, params.id);
    if (!topUp) throw notFound();
    const mayPay = isAtLeast(session.place!.role, 'operator');
    return { data: { ...presentTopUp(topUp), next: mayPay ? nextStepOf(services, topUp) : null } };
  },
});
