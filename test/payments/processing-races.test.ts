import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPaymentMethods, putAutoTopUp } from '../../server/db/queries/money/payment-methods.ts';
import { listTopUps } from '../../server/db/queries/money/top-ups.ts';
import type { Charge } from '../../server/payments/provider.ts';
import { paymentShop } from './support/shop.ts';

const HOUR_MS = 3_600_000;

test('an automatic charge whose event precedes its abandoned reply is neither repeated nor failed', async (t) => {
  const shop = await paymentShop(t);
  const { stripe, db, accountId: account_id, clock, look, services } = shop;
  const { topUp: first } = await shop.start(shop.wish('stripe', 5_00n, { keepMethod: true }));
  for (const event of stripe.pay(shop.session(first).id)) await shop.deliver(event);
  const [method] = await listPaymentMethods(db, account_id);
  await putAutoTopUp(db, {
    ...{ account_id, enabled: true, threshold_minor: 20_00n, amount_minor: 25_00n },
    ...{ payment_method_id: method!.id, failures: 0, next_attempt_at: null, last_error: null },
    updated_at: clock.now(),
  });
  stripe.slow.add(method!.method_ref);
  const provider = services.payments.find('stripe')!;
  const made = provider.charge!;
  let lost = false;
  Object.assign(provider, {
    charge: async (charge: Charge) => {
      if (lost) return made(charge);
      lost = true;
      stripe.mishaps.push('silence');
      try {
        return await made(charge);
      } catch (error) {
        await shop.deliver(stripe.event('payment_intent.processing', [...stripe.intents.values()].at(-1)!));
        throw error;
      }
    },
  });
  await look();
  assert.ok(lost);
  const asked = () => stripe.requests.filter((request) => request === 'POST /v1/payment_intents').length;
  clock.advance(HOUR_MS);
  await look();
  const before = asked();
  for (let hour = 0; hour < 30; hour += 3) {
    clock.advance(3 * HOUR_MS);
    await look();
  }
  const topUps = await listTopUps(db, account_id, { limit: 9, afterId: null });
  const charges = topUps.filter(({ cause }) => cause === 'auto');
  assert.deepEqual(
    charges.map(({ status, recheck_at, retry_at }) => [status, recheck_at !== null, retry_at]),
    [['pending', true, null]],
  );
  assert.equal(asked(), before, 'it is not asked for again');
  await shop.sound();
});
