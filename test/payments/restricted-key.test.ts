import assert from 'node:assert/strict';
import { test } from 'node:test';
import { listPaymentMethods, putAutoTopUp } from '../../server/db/queries/money/payment-methods.ts';
import { comparedUntil } from '../../server/db/queries/money/unbooked-payments.ts';
import { paymentShop } from './support/shop.ts';

const DAY_MS = 86_400_000;

test('a key that may not read the lists does not stop automatic top-ups, and says so each day', async (t) => {
  for (const path of ['/v1/payment_intents', '/v1/refunds', '/v1/disputes']) {
    const shop = await paymentShop(t);
    const { stripe, db, accountId: account_id, clock, look, services } = shop;
    const errors: string[] = [];
    t.mock.method(services.logger, 'error', (_about: object, message: string) => void errors.push(message));
    const { topUp } = await shop.start(shop.wish('stripe', 5_00n, { keepMethod: true }));
    for (const event of stripe.pay(shop.session(topUp).id)) await shop.deliver(event);
    const [method] = await listPaymentMethods(db, account_id);
    await look();
    const before = await comparedUntil(db, 'stripe');
    services.payments.comparedAt = null;
    await putAutoTopUp(db, {
      ...{ account_id, enabled: true, threshold_minor: 20_00n, amount_minor: 25_00n },
      ...{ payment_method_id: method!.id, failures: 0, next_attempt_at: null, last_error: null },
      updated_at: clock.now(),
    });
    stripe.forbidden.add(path);
    clock.advance(1000);
    await look();
    await look();
    assert.equal(await shop.available(), 30_00n, path);
    assert.equal(errors.length, 1, JSON.stringify(errors));
    assert.match(errors[0]!, /key may not list/);
    clock.advance(DAY_MS);
    await look();
    assert.equal(errors.length, 2, 'each day');
    assert.deepEqual(await comparedUntil(db, 'stripe'), before, 'what is missing is looked for later');
    stripe.forbidden.clear();
    clock.advance(DAY_MS);
    await look();
    assert.deepEqual(await comparedUntil(db, 'stripe'), clock.now());
    t.mock.restoreAll();
    await shop.sound();
  }
});
