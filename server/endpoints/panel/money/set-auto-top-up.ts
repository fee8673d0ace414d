import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Nullable } from '../../../http/schemas.ts';
import { setAutoTopUp as set } from '../../../payments/set-auto-top-up.ts';
import { Type } from '../../../platform/schema.ts';
import { AutoTopUpShape, presentAutoTopUp } from './auto-top-up-shape.ts';

const Amount = (description: string) =>
  Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description, examples: [2500] });

export const setAutoTopUp = endpoint({
  audience: 'panel',
  operation: 'setAutoTopUp',
  method: 'PUT',
  path: '/auto-top-up',
  money: true,
  access: 'owner',
  confirm: true,
  tag: 'money',
  summary: 'Change the settings of automatic top-up',
  body: Input({
    enabled: Type.Boolean(),
    threshold_minor: Amount(
      'The wallet is topped up when its balance falls below this amount, in minor units',
    ),
    amount_minor: Amount('Amount of the top-up, in minor units'),
    payment_method_id: Type.Optional(
      Nullable(
        Type.String({ maxLength: 64, description: 'The payment method to charge; required to turn it on' }),
      ),
    ),
  }),
  data: AutoTopUpShape,
  errors: ['invalid_state'],
  async handle({ caller: { accountId, ip }, session, body, db, services }) {
    await set(db, services, {
      accountId,
      enabled: body.enabled,
      thresholdMinor: BigInt(body.threshold_minor),
      amountMinor: BigInt(body.amount_minor),
      methodId: body.payment_method_id ?? null,
    });
    const { enabled, threshold_minor, amount_minor } = body;
    await recordAudit(db, services.clock, {
      accountId,
      personId: session.personId,
      action: 'auto_top_up.changed',
      details: { enabled, threshold_minor, amount_minor },
      ip,
    });
    return { data: await presentAutoTopUp(db, accountId, services.catalog) };
  },
});
