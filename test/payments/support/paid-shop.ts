import type { TestContext } from 'node:test';
import { lookUpWallet } from '../../../server/db/queries/money/wallets.ts';
import { creditAccount, debitAccount } from '../../../server/domain/accounts/book-payment.ts';
import { creditOrDebit } from '../../../server/domain/billing/adjustments/credit-or-debit.ts';
import { paymentShop } from './shop.ts';
import type { Thing } from './stripe.ts';

/** The time in Stripe's seconds at which these tests' events begin: the clock of a new shop. */
const BEGIN_SECONDS = Date.parse('2026-01-01T00:00:00Z') / 1000;

/** Stripe's statement about a dispute, `seconds` after the beginning. */
export interface Said {
  id?: string;
  seconds: number;
  status: string;
  /** In Stripe's units. */
  amount: number;
}

/** A customer who has paid 50.00 at Stripe, with ways to lose that money. */
export async function paidShop(t: TestContext) {
  const shop = await paymentShop(t);
  const { db, clock, accountId, stripe } = shop;
  const { topUp } = await shop.start(shop.wish('stripe', 50_00n));
  const events = stripe.pay(shop.session(topUp).id);
  for (const event of events) await shop.deliver(event);
  const intent: Thing = events[0]!.data.object;
  const thing = (id: string, amount: number, status: string) => ({
    ...{ id, amount, status, currency: intent.currency, payment_intent: intent.id, metadata: {} },
  });
  /** Returns the event of a dispute; from then on Stripe's own record of the dispute is the same. */
  const dispute = ({ id = 'dp_1', seconds, status, amount }: Said) => {
    const object = { object: 'dispute', ...thing(id, amount, status) };
    stripe.disputes.set(id, object);
    const type = status === 'won' || status === 'lost' ? 'closed' : 'updated';
    return { ...stripe.event(`charge.dispute.${type}`, object), created: BEGIN_SECONDS + seconds };
  };
  const refund = (id: string, amount: number, status = 'succeeded') =>
    stripe.event('refund.updated', { object: 'refund', ...thing(id, amount, status) });
  const transfer = (book: typeof creditAccount) => (amountMinor: bigint) =>
    db.transaction((tx) => book(tx, clock, { accountId, amountMinor, method: 'bank_transfer' }));
  return {
    ...shop,
    topUp,
    intent,
    dispute,
    refund,
    /** Moves money in and out in another way. */
    credit: transfer(creditAccount),
    spend: transfer(debitAccount),
    /** A credit by the operator, which is not a payment: only a round collects debts from it. */
    goodwill: (amountMinor: bigint) =>
      db.transaction((tx) =>
        creditOrDebit({ tx, clock }, shop.services.catalog, {
          ...{ type: 'credit', account: { id: accountId, currency: 'EUR' }, amountMinor },
          ...{ vmId: undefined, reason: 'sorry', actor: 'root' },
        }),
      ),
    /** Returns the available and the owed amount, after checking the books. */
    books: async () => {
      await shop.sound();
      const { available_minor, claimed_minor } = await lookUpWallet(db, accountId);
      return [available_minor, claimed_minor];
    },
  };
}
