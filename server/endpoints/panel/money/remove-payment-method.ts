import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { PathId } from '../../../http/schemas.ts';
import { removeMethod } from '../../../payments/remove-method.ts';
import { Type } from '../../../platform/schema.ts';
import { AutoTopUpShape, presentAutoTopUp } from './auto-top-up-shape.ts';

export const removePaymentMethod = endpoint({
  audience: 'panel',
  operation: 'removePaymentMethod',
  method: 'DELETE',
  path: '/payment-methods/{id}',
  access: 'owner',
  confirm: true,
  tag: 'money',
  summary: 'Remove a stored payment method',
  description: 'Turns off automatic top-up if it uses this method.',
  params: Type.Object({ id: PathId('pmt', 'Payment method identifier') }),
  data: AutoTopUpShape,
  errors: ['not_found'],
  async handle({ caller, session, params, db, services }) {
    const { label } = await removeMethod(db, services, caller.accountId, params.id);
    await recordAudit(db, services.clock, {
      accountId: caller.accountId,
      personId: session.personId,
      action: 'payment_method.removed',
      subjectId: params.id,
      details: { label },
      ip: caller.ip,
    });
    return { data: await presentAutoTopUp(db, caller.accountId, services.catalog) };
  },
});
