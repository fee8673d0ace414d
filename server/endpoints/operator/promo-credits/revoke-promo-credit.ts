import { revokePromo } from '../../../domain/billing/promo-credits.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { PathId } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { presentWallet } from '../shared/wallet-shape.ts';
import { ChangedPromoCreditShape, presentPromoCredit } from './promo-credit-shape.ts';

export const revokePromoCredit = endpoint({
  audience: 'operator',
  operation: 'revokePromoCredit',
  method: 'POST',
  path: '/promo-credits/{id}/revoke',
  money: true,
  tag: 'money',
  summary: 'Revoke promotional credit before its expiry',
  params: Type.Object({ id: PathId('prm', 'Identifier of the credit') }),
  data: ChangedPromoCreditShape,
  errors: [],
  async handle({ params: { id }, services: { clock, db, logger } }) {
    const { credit, wallet } = await db.transaction((tx) => revokePromo(tx, clock, id));
    logger.info({ account_id: credit.account_id, promo_credit_id: id }, 'promotional credit revoked');
    return {
      data: { ...presentPromoCredit(credit, wallet.currency, clock.now()), wallet: presentWallet(wallet) },
    };
  },
});
