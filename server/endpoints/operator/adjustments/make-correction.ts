import type { Transaction } from '../../../db/database.ts';
import type { OrderRow } from '../../../db/queries/money/orders.ts';
import { promoReturnedBy } from '../../../db/queries/money/promo-returns.ts';
import { lookUpWallet } from '../../../db/queries/money/wallets.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { requireReadable } from '../shared/input.ts';
import { once } from '../shared/once.ts';
import { presentWallet } from '../shared/wallet-shape.ts';
import { presentAdjustment } from './adjustment-shape.ts';

/** Makes a correction once and returns its order and the resulting wallet. */
export async function makeCorrection(
  { clock, db, documents, logger }: OperatorServices,
  path: string,
  body: { reason: string; key?: string },
  work: (tx: Transaction) => Promise<OrderRow>,
) {
  requireReadable('reason', body.reason);
  // The reason is printed in a line of a document.
  await documents.requirePrintable({ reason: body.reason });
  const data = await db.transaction((tx) =>
    once(tx, clock, { path, body }, async () => {
      const order = await work(tx);
      const wallet = await lookUpWallet(tx, order.account_id);
      const { promo_minor, promo_expires_at } = await promoReturnedBy(tx, order.id);
      const promo = { promo_minor: toJsonInteger(promo_minor), promo_expires_at };
      return { ...presentAdjustment(order), ...promo, wallet: presentWallet(wallet) };
    }),
  );
  const { account_id, id, type, amount_minor } = data;
  logger.info({ account_id, order_id: id, type, amount_minor }, 'adjustment made');
  return { data };
}
