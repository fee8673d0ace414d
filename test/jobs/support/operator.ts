import { type CreditedOutage, findOutage, insertOutage } from '../../../server/db/queries/hosts/outages.ts';
import type { OrderRow } from '../../../server/db/queries/money/orders.ts';
import { insertTopUp, lockTopUp, type TopUpRow } from '../../../server/db/queries/money/top-ups.ts';
import { addTraffic, type Traffic } from '../../../server/db/queries/vms/bandwidth.ts';
import { refundOrder, voidOrder } from '../../../server/domain/billing/adjustments/correct-order.ts';
import { creditOrDebit } from '../../../server/domain/billing/adjustments/credit-or-debit.ts';
import { creditNextVm } from '../../../server/domain/billing/adjustments/credit-outage.ts';
import { saveBillingProfile } from '../../../server/domain/billing/buyers.ts';
import type { LedgerContext } from '../../../server/domain/billing/ledger.ts';
import { type BillingProfile, billingProfile } from '../../../server/domain/tax/billing-profile.ts';
import { type Reversal, settleReversal } from '../../../server/payments/reversals.ts';
import { settlePaid } from '../../../server/payments/settle.ts';
import { ApiError } from '../../../server/platform/errors.ts';
import { newId } from '../../../server/platform/ids.ts';
import type { Services } from '../../../server/start/services.ts';
import type { Customer } from './customer.ts';

const ACTOR = 'test';

/** The operator's actions on the books, and the meters' reports. Refusals are returned as the error's code. */
export class Operator {
  readonly #services: Services;

  constructor(services: Services) {
    this.#services = services;
  }

  /** Credits or debits money independent of any sale. */
  adjust(
    { accountId: id }: Customer,
    wish: { type: 'credit' | 'debit'; amountMinor: bigint; vmId: string | undefined; reason: string },
  ): Promise<OrderRow | string> {
    const { catalog } = this.#services;
    const account = { id, currency: catalog.currency };
    return this.#correct((ledger) => creditOrDebit(ledger, catalog, { ...wish, account, actor: ACTOR }));
  }

  /** Replaces the buyer on an account's invoices. */
  async setBuyer({ accountId: account_id }: Customer, profile: BillingProfile): Promise<void> {
    const { db, clock, catalog } = this.#services;
    const row = { account_id, ...billingProfile(profile), updated_at: clock.now() };
    await db.transaction((tx) => saveBillingProfile(tx, catalog, row));
  }

  refund(orderId: string, amountMinor: bigint, reason: string): Promise<OrderRow | string> {
    return this.#correct((ledger) =>
      refundOrder(ledger, { orderId, reason, actor: ACTOR }, () => amountMinor),
    );
  }

  void(orderId: string, reason: string): Promise<OrderRow | string> {
    return this.#correct((ledger) => voidOrder(ledger, { orderId, reason, actor: ACTOR }));
  }

  /** Reports an outage of a region or a VM and credits it to all affected VMs. */
  async creditOutage(outage: {
    region: string | null;
    vm_id: string | null;
    from: Date;
    to: Date;
    reason: string;
  }): Promise<CreditedOutage> {
    const { db, clock, catalog } = this.#services;
    const { region, vm_id, from: from_at, to: to_at, reason } = outage;
    const id = newId('out', clock);
    const created_at = clock.now();
    await insertOutage(db, { id, region, vm_id, from_at, to_at, reason, actor: ACTOR, created_at });
    const credit = { outageId: id, rule: catalog.sla!.credits, actor: ACTOR };
    while (await db.transaction((tx) => creditNextVm({ tx, clock }, credit)));
    return (await findOutage(db, id))!;
  }

  /** Creates a payment that its provider can dispute, and returns the top-up that it settles. */
  async paid(
    { accountId: account_id }: Customer,
    amount_minor: bigint,
    reference: string,
  ): Promise<TopUpRow> {
    const { db, clock, catalog } = this.#services;
    const now = clock.now();
    const topUp: TopUpRow = {
      ...{ id: newId('top', clock), account_id, provider: 'test', cause: 'person', amount_minor, reference },
      ...{ currency: catalog.currency, status: 'pending', provider_ref: null, keep_method: false },
      ...{ payment_method_id: null, error: null, payment_id: null, principal_id: null, created_at: now },
      ...{
        expires_at: now,
        settled_at: null,
        retry_at: null,
        recheck_at: null,
        missing_since: null,
        session_ref: null,
        sealed_page: null,
      },
    };
    return db.transaction(async (tx) => {
      await insertTopUp(tx, topUp);
      const paid = { amountMinor: amount_minor, currency: topUp.currency, providerRef: null };
      return settlePaid(tx, this.#services, (await lockTopUp(tx, topUp.id))!, paid);
    });
  }

  /** Records the provider's statement about disputed money and returns its id. */
  async takeBack(topUpId: string, reversal: Reversal): Promise<string> {
    const { db } = this.#services;
    const { id } = await db.transaction(async (tx) =>
      settleReversal(tx, this.#services, (await lockTopUp(tx, topUpId))!, reversal),
    );
    return id;
  }

  meter(traffic: Traffic): Promise<void> {
    return addTraffic(this.#services.db, [traffic]);
  }

  async #correct(work: (ledger: LedgerContext) => Promise<OrderRow>): Promise<OrderRow | string> {
    const { db, clock } = this.#services;
    try {
      return await db.transaction((tx) => work({ tx, clock }));
    } catch (error) {
      if (error instanceof ApiError) return error.code;
      throw error;
    }
  }
}
