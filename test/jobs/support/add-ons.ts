import type { Transaction } from '../../../server/db/database.ts';
import { findBillingProfile } from '../../../server/db/queries/money/billing-profiles.ts';
import { lockVm } from '../../../server/db/queries/vms/vms.ts';
import { toJsonInteger } from '../../../server/domain/billing/money.ts';
import { catalogFor } from '../../../server/domain/catalog/buyer-prices.ts';
import { type AddOnWish, decideAddOn, setAddOn } from '../../../server/domain/vms/add-ons.ts';
import { presentOrder } from '../../../server/endpoints/customer/shared/order-shape.ts';
import { ApiError, notFound } from '../../../server/platform/errors.ts';
import type { Services } from '../../../server/start/services.ts';
import type { Customer, Reply } from './customer.ts';

/**
 * Stands for an operation that sells add-ons, of which there is none yet. Its reply has the order, and the total of a quote
 * from just before.
 */
export async function sellAddOn(
  services: Pick<Services, 'db' | 'clock' | 'catalog'>,
  { accountId }: Customer,
  vmId: string,
  wish: AddOnWish,
  maxChargeMinor?: number,
): Promise<Reply> {
  const { db, clock, catalog } = services;
  const none = { text: '', replayed: false };
  const sell = async (tx: Transaction) => {
    const now = clock.now();
    const vm = await lockVm(tx, accountId, vmId);
    if (!vm) throw notFound();
    const buyer = await findBillingProfile(tx, accountId);
    const quote = decideAddOn(vm, wish, { catalog: catalogFor(catalog, buyer), buyer, now });
    const { order } = await setAddOn({ db: tx, services, now }, vm, wish, maxChargeMinor);
    return { order: presentOrder(order), quote_minor: toJsonInteger(quote.charge.total_minor) };
  };
  try {
    const data = JSON.parse(JSON.stringify(await db.transaction(sell)));
    return { ...none, status: 200, data, error: undefined };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    const { status, code, message, details } = error;
    return { ...none, status, data: undefined, error: { code, message, details } };
  }
}
