import { recordAudit } from '../../../domain/people/audit.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Shape } from '../../../http/schemas.ts';
import { beginTopUp, startTopUp as start, type TopUpWish } from '../../../payments/start-top-up.ts';
import { Type } from '../../../platform/schema.ts';
import { NextStepShape, presentTopUp, TopUpShape } from './top-up-shape.ts';

interface Body {
  amount_minor: number;
  provider: string;
  keep_method?: boolean;
}

function wishOf(caller: { accountId: string; principal: { id: string } }, body: Body): TopUpWish {
  return {
    accountId: caller.accountId,
    principalId: caller.principal.id,
    provider: body.provider,
    amountMinor: BigInt(body.amount_minor),
    keepMethod: body.keep_method ?? false,
  };
}

export const startTopUp = endpoint({
  audience: 'panel',
  operation: 'startTopUp',
  method: 'POST',
  path: '/top-ups',
  money: true,
  access: 'operator',
  tag: 'money',
  summary: 'Top up the wallet',
  description:
    'If the provider has its own page, the browser goes there next. The money is in the wallet as soon as the provider confirms the payment.',
  // The provider's page shows data that is stored there.
  secret: true,
  idempotent: true,
  body: Input({
    amount_minor: Type.Integer({
      minimum: 1,
      maximum: Number.MAX_SAFE_INTEGER,
      description: "In minor units of the wallet's currency",
      examples: [5000],
    }),
    provider: Type.String({ minLength: 1, maxLength: 40, examples: ['stripe'] }),
    keep_method: Type.Optional(
      Type.Boolean({
        description: 'Store the payment method for automatic top-up, if the provider supports it',
      }),
    ),
  }),
  data: Shape({ top_up: TopUpShape, next: NextStepShape }),
  errors: ['invalid_state', 'quota_exceeded', 'service_unavailable'],
  // If the request was already answered, the stored reply is returned and the top-up begun here is not shown.
  prepare: ({ caller, body, services }) => beginTopUp(services, wishOf(caller, body)),
  async handle({ caller, session, body, prepared, db, services }) {
    const { topUp, next } = await start(db, services, wishOf(caller, body), prepared);
    await recordAudit(db, services.clock, {
      accountId: caller.accountId,
      personId: session.personId,
      action: 'top_up.started',
      subjectId: topUp.id,
      details: { provider: body.provider, amount_minor: body.amount_minor },
      ip: caller.ip,
    });
    return { data: { top_up: presentTopUp(topUp), next } };
  },
});
