import type { FastifyInstance } from 'fastify';
import type { Transaction } from '../../db/database.ts';
import { listAdjustments } from '../../db/queries/adjustments.ts';
import type { OrderRow } from '../../db/queries/orders.ts';
import { lookUpWallet } from '../../db/queries/wallets.ts';
import { refundOrder, voidOrder } from '../../domain/billing/adjustments/correct-order.ts';
import { creditOrDebit } from '../../domain/billing/adjustments/credit-or-debit.ts';
import { toJsonInteger } from '../../domain/billing/money.ts';
import { pageFrom, paginated } from '../../http/page.ts';
import { Enum, Input, PageQuery } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { Type } from '../../platform/schema.ts';
import { requireAccount } from './account-operations.ts';
import { AmountFields, amountOf, optionalAmount } from './shared/amount.ts';
import { Reason, requireReadable } from './shared/input.ts';
import { Key, once } from './shared/once.ts';
import { presentWallet } from './shared/shapes.ts';

const FreeAdjustment = Input({
  type: Enum(['credit', 'debit']),
  ...AmountFields,
  vm_id: Type.Optional(Type.String()),
  reason: Reason,
  key: Key,
});
const Refund = Input({ ...AmountFields, reason: Reason, key: Key });
const Void = Input({ reason: Reason, key: Key });

/** Corrections of the books. Each is an order of its own: nothing that is booked changes. */
export function registerAdjustmentOperations(app: FastifyInstance, services: OperatorServices): void {
  const { catalog, clock, db, logger } = services;

  /** Makes a correction once, and answers with its order and the wallet after it. */
  async function correct(
    path: string,
    body: { reason: string; key?: string },
    work: (tx: Transaction) => Promise<OrderRow>,
  ) {
    requireReadable('reason', body.reason);
    const data = await db.transaction((tx) =>
      once(tx, clock, { path, body }, async () => {
        const order = await work(tx);
        const wallet = await lookUpWallet(tx, order.account_id);
        return { ...presentAdjustment(order), wallet: presentWallet(wallet) };
      }),
    );
    const { account_id, id, type, amount_minor } = data;
    logger.info({ account_id, order_id: id, type, amount_minor }, 'adjustment made');
    return { data };
  }

  register(app, services, {
    method: 'POST',
    path: '/accounts/:id/adjustments',
    body: FreeAdjustment,
    handle: ({ id, body, actor }) =>
      correct(`/accounts/${id}/adjustments`, body, async (tx) => {
        const { type, vm_id: vmId, reason } = body;
        const account = await requireAccount(tx, id);
        const amountMinor = amountOf(body, account.currency);
        return creditOrDebit({ tx, clock }, catalog, { type, account, amountMinor, vmId, reason, actor });
      }),
  });

  register(app, services, {
    method: 'GET',
    path: '/accounts/:id/adjustments',
    query: Input(PageQuery),
    async handle({ id, query }) {
      await requireAccount(db, id);
      const page = pageFrom(query);
      return paginated(await listAdjustments(db, id, page), page, presentAdjustment);
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/orders/:id/refund',
    body: Refund,
    handle: ({ id, body, actor }) =>
      correct(`/orders/${id}/refund`, body, (tx) => {
        const correction = { orderId: id, reason: body.reason, actor };
        return refundOrder({ tx, clock }, correction, (currency) => optionalAmount(body, currency));
      }),
  });

  register(app, services, {
    method: 'POST',
    path: '/orders/:id/void',
    body: Void,
    handle: ({ id, body, actor }) =>
      correct(`/orders/${id}/void`, body, (tx) =>
        voidOrder({ tx, clock }, { orderId: id, reason: body.reason, actor }),
      ),
  });
}

function presentAdjustment(order: OrderRow) {
  return {
    id: order.id,
    account_id: order.account_id,
    vm_id: order.vm_id,
    type: order.adjustment,
    amount_minor: toJsonInteger(order.amount_minor),
    currency: order.currency,
    reason: order.reason,
    actor: order.actor,
    corrects_order_id: order.corrects_order_id,
    outage_id: order.outage_id,
    invoice_id: order.invoice_id,
    created_at: order.created_at,
  };
}
