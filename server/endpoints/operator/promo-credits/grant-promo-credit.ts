import { requireOpen } from '../../../domain/accounts/account-status.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { grantPromo } from '../../../domain/billing/promo-credits.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Timestamp } from '../../../http/schemas.ts';
import { mailOwners } from '../../../mail/owners.ts';
import { AccountParams } from '../accounts/account-shape.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { AmountFields, amountField, amountOf } from '../shared/amount.ts';
import { Line, requireReadable } from '../shared/input.ts';
import { Key, ONCE_ERRORS, once } from '../shared/once.ts';
import { presentWallet } from '../shared/wallet-shape.ts';
import { ChangedPromoCreditShape, presentPromoCredit } from './promo-credit-shape.ts';

export const grantPromoCredit = endpoint({
  audience: 'operator',
  operation: 'grantPromoCredit',
  method: 'POST',
  path: '/accounts/{id}/promo-credits',
  money: true,
  tag: 'money',
  summary: 'Give an account promotional credit, which expires and is spent before money',
  params: AccountParams,
  body: Input({
    ...AmountFields,
    until: Timestamp('When it expires'),
    reason: Line('welcome', 'Reason for the credit'),
    key: Key,
  }),
  data: ChangedPromoCreditShape,
  errors: ['invalid_state', ...ONCE_ERRORS],
  async handle({ params: { id }, body, actor, services: { clock, db, logger, secrets } }) {
    const { reason } = body;
    requireReadable('reason', reason);
    const request = { path: `/accounts/${id}/promo-credits`, body };
    const data = await db.transaction((tx) =>
      once(tx, clock, request, async () => {
        const { currency } = await requireAccount(tx, id);
        const amountMinor = amountOf(body, currency);
        await requireOpen(tx, id);
        const field = amountField(body);
        const until = new Date(body.until);
        const grant = { accountId: id, amountMinor, field, until, reason, actor };
        const { credit, wallet } = await grantPromo(tx, clock, grant);
        await mailOwners(tx, { clock, secrets }, id, 'credit_given', (account) => ({
          ...{ account, currency, reason },
          amountMinor: toJsonInteger(credit.amount_minor),
          expiresAt: credit.expires_at.toISOString(),
        }));
        return { ...presentPromoCredit(credit, currency, clock.now()), wallet: presentWallet(wallet) };
      }),
    );
    const { id: promo_credit_id, amount_minor } = data;
    logger.info({ account_id: id, promo_credit_id, amount_minor }, 'promotional credit given');
    return { data };
  },
});
