import type { FastifyInstance } from 'fastify';
import { listPromoCredits } from '../../db/queries/promo-credits.ts';
import { requireOpen } from '../../domain/accounts/account-status.ts';
import { grantPromo, revokePromo } from '../../domain/billing/promo-credits.ts';
import { pageFrom, paginated } from '../../http/page.ts';
import { Input, PageQuery, Timestamp } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { Type } from '../../platform/schema.ts';
import { requireAccount } from './account-operations.ts';
import { AmountFields, amountField, amountOf } from './shared/amount.ts';
import { Line, requireReadable } from './shared/input.ts';
import { Key, once } from './shared/once.ts';
import { presentPromoCredit, presentWallet } from './shared/shapes.ts';

const NewPromoCredit = Input({
  ...AmountFields,
  until: Timestamp(),
  reason: Line,
  key: Key,
});

/** Promotional credit: given, listed, ended before its time. */
export function registerPromoOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/accounts/:id/promo-credits',
    body: NewPromoCredit,
    async handle({ id, body, actor, services: { clock, db, logger } }) {
      const { reason } = body;
      requireReadable('reason', reason);
      const deed = { path: `/accounts/${id}/promo-credits`, body };
      const data = await db.transaction((tx) =>
        once(tx, clock, deed, async () => {
          const { currency } = await requireAccount(tx, id);
          const amountMinor = amountOf(body, currency);
          await requireOpen(tx, id);
          const field = amountField(body);
          const until = new Date(body.until);
          const grant = { accountId: id, amountMinor, field, until, reason, actor };
          const { credit, wallet } = await grantPromo(tx, clock, grant);
          return { ...presentPromoCredit(credit, currency, clock.now()), wallet: presentWallet(wallet) };
        }),
      );
      const { id: promo_credit_id, amount_minor } = data;
      logger.info({ account_id: id, promo_credit_id, amount_minor }, 'promotional credit given');
      return { data };
    },
  });

  register(app, services, {
    method: 'GET',
    path: '/promo-credits',
    query: Input({ ...PageQuery, account_id: Type.Optional(Type.String()) }),
    async handle({ query, services: { catalog, clock, db } }) {
      const { account_id } = query;
      if (account_id !== undefined) await requireAccount(db, account_id);
      const page = pageFrom(query);
      const now = clock.now();
      // One installation sells in one currency.
      return paginated(await listPromoCredits(db, account_id, page), page, (credit) =>
        presentPromoCredit(credit, catalog.currency, now),
      );
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/promo-credits/:id/revoke',
    async handle({ id, services: { clock, db, logger } }) {
      const { credit, wallet } = await db.transaction((tx) => revokePromo(tx, clock, id));
      logger.info({ account_id: credit.account_id, promo_credit_id: id }, 'promotional credit revoked');
      return {
        data: { ...presentPromoCredit(credit, wallet.currency, clock.now()), wallet: presentWallet(wallet) },
      };
    },
  });
}
