import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { insertOutage } from '../../server/db/queries/hosts/outages.ts';
import { creditNextVm } from '../../server/domain/billing/adjustments/credit-outage.ts';
import { endPromo, grantPromo, revokePromo } from '../../server/domain/billing/promo-credits.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { newId } from '../../server/platform/ids.ts';
import { moneyProblems } from '../support/invariants.ts';
import { shop } from './shop.ts';

const S8 = 23_99n;

async function promoShop(t: TestContext) {
  const made = await shop(t);
  const { db, clock, services, customer } = made;
  const { accountId } = customer;
  return {
    ...made,
    grant: (amountMinor: bigint, until: string) => {
      const wish = { accountId, amountMinor, field: 'amount' as const, until: new Date(until) };
      return db.transaction((tx) => grantPromo(tx, clock, { ...wish, reason: 'Welcome', actor: 'root' }));
    },
    revoke: (id: string) => db.transaction((tx) => revokePromo(tx, clock, id)),
    end: () => db.transaction((tx) => endPromo(tx, accountId, clock.now())),
    renewAt: async (at: string) => {
      clock.set(new Date(at));
      await renewVms(services);
      await made.done();
    },
    preview: (path: string) => customer.must({ method: 'GET', path: `${path}/delete-preview` }),
    remove: async (path: string) => {
      const { refund } = await customer.must({ method: 'DELETE', path });
      await made.done();
      return refund;
    },
    /** Returns the money and the credit, after checking the books. */
    wallet: async () => {
      assert.deepEqual(await moneyProblems(db), []);
      const { available_minor, promo_minor } = await customer.wallet();
      return [available_minor - promo_minor, promo_minor];
    },
    renewal: async () => (await customer.must({ method: 'GET', path: '/v1/billing/orders?kind=renew' }))[0],
  };
}

test('a month paid with money refunds money, even if credit paid for earlier ones', async (t) => {
  const { grant, buy, end, renewAt, preview, remove, wallet } = await promoShop(t);
  await grant(S8, '2026-01-20T00:00:00Z');
  const { path } = await buy('s8');
  assert.deepEqual(await wallet(), [200_00n, 0n]);
  await renewAt('2026-02-01T00:00:00Z');
  assert.deepEqual(await wallet(), [200_00n - S8, 0n]);
  const shown = await preview(path);
  assert.deepEqual(
    [shown.refund_minor, shown.refund_promo_minor, shown.refund_promo_expires_at],
    [Number(S8), 0, null],
  );
  const refund = await remove(path);
  assert.deepEqual([refund.amount_minor, refund.promo_minor, refund.promo_expires_at], [Number(S8), 0, null]);
  await end();
  assert.deepEqual(await wallet(), [200_00n, 0n]);
});

test('a refund is credit by the share of its period that credit has paid, and says until when', async (t) => {
  const { clock, grant, buy, preview, remove, wallet } = await promoShop(t);
  const soon = await grant(4_00n, '2026-01-10T00:00:00Z');
  const late = await grant(5_00n, '2026-03-01T00:00:00Z');
  const { path } = await buy('s8');
  assert.deepEqual(await wallet(), [200_00n - S8 + 9_00n, 0n]);
  clock.set(new Date('2026-01-16T12:00:00Z'));
  const shown = await preview(path);
  assert.equal(shown.refund_minor, 1199, 'half of 23.99, rounded down');
  // 9.00 of 23.99 was credit: 450 of 1199, rounded up. The credit that expires last is refunded first.
  assert.equal(shown.refund_promo_minor, 450);
  assert.equal(shown.refund_promo_expires_at, late.credit.expires_at.toISOString());
  const refund = await remove(path);
  assert.deepEqual(
    [refund.amount_minor, refund.promo_minor, refund.promo_expires_at],
    [shown.refund_minor, 450, shown.refund_promo_expires_at],
  );
  assert.deepEqual(await wallet(), [200_00n - S8 + 9_00n + 1199n - 450n, 450n]);
  assert.ok(soon.credit.expires_at < clock.now());
});

test('credit that ends before the refund is shown with its end, and expires', async (t) => {
  const { clock, grant, buy, end, preview, remove, wallet } = await promoShop(t);
  await grant(S8, '2026-01-10T00:00:00Z');
  const { path } = await buy('s8');
  clock.set(new Date('2026-01-16T12:00:00Z'));
  const { refund_minor, refund_promo_minor, refund_promo_expires_at } = await preview(path);
  assert.deepEqual([refund_promo_minor, refund_promo_expires_at], [refund_minor, '2026-01-10T00:00:00.000Z']);
  await remove(path);
  await end();
  assert.deepEqual(await wallet(), [200_00n, 0n]);
});

test('a downgrade refunds by the month of the change, and its quote says so', async (t) => {
  const { grant, buy, change, renewAt, customer, wallet } = await promoShop(t);
  const { path } = await buy('s1');
  await change(path, 's8');
  await grant(10_00n, '2026-06-01T00:00:00Z');
  await renewAt('2026-02-01T00:00:00Z');
  const before = await wallet();
  assert.deepEqual(before, [200_00n - 2n * S8 + 10_00n, 0n]);
  const quote = await customer.must({
    method: 'GET',
    path: `${path}/plan-quote?plan=s1&resize_disk=false`,
  });
  const back = 23_99n - 3_99n;
  // 10.00 of 23.99 was credit.
  const credit = (back * 10_00n + S8 - 1n) / S8;
  assert.deepEqual([quote.net_minor, quote.refund_promo_minor], [-Number(back), Number(credit)]);
  assert.equal(quote.refund_promo_expires_at, '2026-06-01T00:00:00.000Z');
  await change(path, 's1');
  assert.deepEqual(await wallet(), [before[0]! + back - credit, credit]);
  // The upgrade reverses the refund of the downgrade, and the month is as before.
  await change(path, 's8');
  assert.deepEqual(await wallet(), before);
});

test("the operator's refunds and voids follow the month of the order", async (t) => {
  const { db, grant, buy, renewAt, renewal, refund, undo, wallet } = await promoShop(t);
  await grant(S8, '2026-06-01T00:00:00Z');
  const { order } = await buy('s8');
  await renewAt('2026-02-01T00:00:00Z');
  const paid = await wallet();
  const second = await renewal();
  const ofMoney = await refund(second.id, 10_00n);
  assert.deepEqual(await wallet(), [paid[0]! + 10_00n, 0n]);
  const ofCredit = await refund(order.id, 10_00n);
  assert.deepEqual(await wallet(), [paid[0]! + 10_00n, 10_00n]);
  // Undoing a refund moves back the same kind of money that it gave.
  await undo(ofMoney.id);
  assert.deepEqual(await wallet(), [paid[0]!, 10_00n], 'credit stays credit');
  await undo(ofCredit.id);
  assert.deepEqual(await wallet(), paid);
  await undo(order.id);
  assert.deepEqual(await wallet(), [paid[0]!, S8]);
  await undo(second.id);
  assert.deepEqual(await wallet(), [200_00n, S8]);
  const [{ left }] = (await db.query<{ left: bigint }>(
    sql`select sum(amount_minor)::bigint as left from promo_draws`,
  )) as [{ left: bigint }];
  assert.equal(left, 0n);
});

test('an outage over two months refunds each as it was paid', async (t) => {
  const { db, clock, services, grant, buy, renewAt, customer, wallet } = await promoShop(t);
  services.catalog.sla = { credits: [{ uptime_below: '99.99', percent: 10 }] };
  await grant(S8, '2026-06-01T00:00:00Z');
  const { id } = await buy('s8');
  await renewAt('2026-02-01T00:00:00Z');
  clock.set(new Date('2026-02-03T00:00:00Z'));
  const paid = await wallet();
  const span = { from_at: new Date('2026-01-31T12:00:00Z'), to_at: new Date('2026-02-01T12:00:00Z') };
  const said = { reason: 'power cut', actor: 'root', created_at: clock.now() };
  const outage = { id: newId('out', clock), region: null, vm_id: id, ...span, ...said };
  await insertOutage(db, outage);
  const credit = { outageId: outage.id, rule: services.catalog.sla.credits, actor: 'root' };
  while (await db.transaction((tx) => creditNextVm({ tx, clock }, credit)));
  const tenth = 2_40n;
  assert.deepEqual(await wallet(), [paid[0]! + tenth, tenth]);
  // The rest of each month is refunded as the kind of money that paid for it: this month was paid with money.
  await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  const [money, promo] = await wallet();
  assert.equal(promo, tenth);
  assert.ok(money! > paid[0]! + tenth);
});
