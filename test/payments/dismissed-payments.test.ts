import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listUnbookedPayments } from '../../server/db/queries/money/unbooked-payments.ts';
import { listUnbookedPayments as list } from '../../server/endpoints/operator/unbooked-payments/list-unbooked-payments.ts';
import { beginTopUp } from '../../server/payments/start-top-up.ts';
import { dismissUnbooked } from '../../server/payments/unbooked-payments.ts';
import { paymentShop } from './support/shop.ts';
import type { Thing } from './support/stripe.ts';

const PAGE = { limit: 10, afterId: null };

test('a dismissed payment that is disputed later leaves a trace, and is in no wallet', async (t) => {
  const shop = await paymentShop(t);
  const { services, stripe, wish, clock, db, deliver } = shop;
  // A top-up from the lost books.
  await beginTopUp(services, wish('stripe', 50_00n));
  const [succeeded] = stripe.pay([...stripe.sessions.keys()].at(-1)!) as [Thing];
  await deliver(succeeded);
  const [found] = await listUnbookedPayments(db, 'open', PAGE);
  const decision = { id: found!.id, reason: 'booked by hand', actor: 'anna' };
  await db.transaction((tx) => dismissUnbooked(tx, { clock }, decision));
  const errors: string[] = [];
  t.mock.method(services.logger, 'error', (_about: object, message: string) => void errors.push(message));
  const { id: payment_intent, currency } = succeeded.data.object;
  const disputed = (status: string, amount: number) =>
    deliver(
      stripe.event('charge.dispute.updated', {
        id: 'dp_1',
        payment_intent,
        currency,
        amount,
        status,
        metadata: {},
      }),
    );
  const taken = async () => {
    const input = { query: { status: 'dismissed' }, params: {}, body: {}, actor: 'anna', services };
    const reply = (await list.handle(input as never)) as { data: Thing[] };
    return reply.data.map(({ taken_back_minor }) => taken_back_minor);
  };
  assert.deepEqual(await taken(), [0]);
  assert.equal(await disputed('needs_response', 20_00), 200);
  assert.deepEqual(await taken(), [20_00]);
  assert.equal(await disputed('lost', 50_00), 200);
  assert.deepEqual(await taken(), [50_00]);
  assert.equal(errors.length, 2);
  assert.match(errors[0]!, /booked it manually, debit its account/);
  assert.equal(await disputed('won', 50_00), 200);
  assert.deepEqual(await taken(), [0]);
  assert.equal(await shop.available(), 0n);
  await shop.sound();
});
