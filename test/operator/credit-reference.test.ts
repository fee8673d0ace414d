import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAccount } from '../../server/domain/accounts/create-account.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { Readiness } from '../../server/http/operator/readiness.ts';
import { createOperatorServer } from '../../server/http/operator/server.ts';
import { paymentShop } from '../payments/support/shop.ts';
import { defer } from '../support/cleanup.ts';

test("the reference of another account's top-up credits no account by mistake", async (t) => {
  const { services, db, clock, accountId, start, wish, available, sound } = await paymentShop(t);
  const { topUp } = await start(wish('bank_transfer', 50_00n));
  const other = await db.transaction((tx) =>
    createAccount(tx, clock, { name: 'Other', currency: 'EUR', limits: services.catalog.limits }),
  );
  const operator = createOperatorServer(services, new Readiness(services), OPERATOR_ENDPOINTS);
  defer(t, () => operator.close());
  const book = (id: string, side: 'credits' | 'debits') =>
    operator.inject({
      method: 'POST',
      url: `/accounts/${id}/${side}`,
      payload: { amount_minor: 50_00, reference: topUp.reference },
    });
  for (const side of ['credits', 'debits'] as const) {
    const refused = await book(other.id, side);
    assert.equal(refused.statusCode, 422, refused.body);
    assert.match(refused.body, new RegExp(`"reference".*${accountId}`));
  }
  assert.equal((await book(accountId, 'credits')).statusCode, 200, 'its own account may have it');
  assert.equal(await available(), 50_00n);
  await sound();
});
