import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { listPromoCredits } from '../../server/db/queries/money/promo-credits.ts';
import { grantPromo, revokePromo } from '../../server/domain/billing/promo-credits.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { giveRenewalNotices } from '../../server/jobs/timers/renewal-notices.ts';
import { Failures } from '../../server/platform/failures.ts';
import { openCustomer } from '../jobs/support/customer.ts';
import { openInstallation, runJobs } from '../jobs/support/installation.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { assertInvariants } from '../support/invariants.ts';

const DAY_MS = 86_400_000;
const S1 = { plan: 's1', template: 'debian-12', hostname: 'web', password: 'correct-horse-battery' };
const PRICE = 399;

async function setUp(t: TestContext, funds: bigint) {
  const db = await freshDatabase(t);
  const installation = await openInstallation(db);
  defer(t, () => installation.close());
  const { services } = installation;
  const { clock } = services;
  const node = await installation.openNode();
  const customer = await openCustomer(installation, funds);
  return {
    db,
    services,
    customer,
    grant: async (amountMinor: bigint, days: number) => {
      const until = new Date(clock.now().getTime() + days * DAY_MS);
      const wish = { accountId: customer.accountId, amountMinor, field: 'amount' as const, until };
      return db.transaction((tx) => grantPromo(tx, clock, { ...wish, reason: 'Welcome', actor: 'root' }));
    },
    buy: async (): Promise<string> => {
      const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body: S1 });
      await runJobs(installation, node);
      return vm.id;
    },
    settle: () => runJobs(installation, node),
    get: (path: string) => customer.must({ method: 'GET', path }),
    passDays: (days: number) => clock.advance(days * DAY_MS),
  };
}

test("wallet and summary show the available amount, its credit, and the credit's end", async (t) => {
  const { db, services, grant, buy, get } = await setUp(t, 500n);
  const before = await get('/v1/billing/wallet');
  assert.deepEqual([before.available_minor, before.promo_minor, before.promo_expires_at], [500, 0, null]);
  await grant(200n, 60);
  const { credit: soon } = await grant(100n, 20);
  for (const path of ['/v1/billing/wallet', '/v1/billing/summary']) {
    const { available_minor, promo_minor, promo_expires_at } = await get(path);
    assert.deepEqual([available_minor, promo_minor], [800, 300]);
    assert.equal(promo_expires_at, soon.expires_at.toISOString());
  }
  const quote = await get('/v1/vm/custom-quote?vcpu=1&ram_mb=1024&disk_gb=20');
  assert.equal(quote.balance_available_minor, 800);
  await buy();
  const { available_minor, promo_minor, promo_expires_at, balance_minor } = await get('/v1/billing/wallet');
  assert.deepEqual([available_minor, promo_minor, promo_expires_at, balance_minor], [401, 0, null, 401]);
  const [order] = await get('/v1/billing/orders');
  assert.deepEqual([order.amount_minor, order.balance_after_minor], [PRICE, 401]);
  await db.transaction((tx) => revokePromo(tx, services.clock, soon.id));
  await assertInvariants(db);
});

test('credit pays for a VM, and returns as credit when the VM is deleted', async (t) => {
  const { db, customer, grant, buy, settle, get, passDays } = await setUp(t, 100n);
  await grant(400n, 60);
  const id = await buy();
  passDays(10);
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await settle();
  const { available_minor, promo_minor } = await get('/v1/billing/wallet');
  assert.ok(refund.amount_minor > 0);
  assert.deepEqual([available_minor, promo_minor], [101 + refund.amount_minor, 1 + refund.amount_minor]);
  await assert.rejects(customer.payOut(101n), { code: 'insufficient_funds' });
  await customer.payOut(100n);
  await assertInvariants(db);
});

test('credit whose end has come pays for no renewal, credit that lasts does', async (t) => {
  const { db, services, customer, grant, buy, get, passDays } = await setUp(t, 0n);
  await grant(2n * BigInt(PRICE), 20);
  await grant(BigInt(PRICE), 60);
  const id = await buy();
  passDays(32);
  await renewVms(services);
  assert.deepEqual((await get(`/v1/vm/${id}`)).status, 'running');
  const credits = await listPromoCredits(db, customer.accountId, { limit: 10, afterId: null });
  assert.deepEqual(
    credits.map(({ remaining_minor }) => remaining_minor),
    [0n, 0n],
  );
  const orders: { kind: string }[] = await get('/v1/billing/orders');
  assert.deepEqual(
    orders.map(({ kind }) => kind),
    ['renew', 'create'],
  );
  const { available_minor, promo_minor } = await get('/v1/billing/wallet');
  assert.deepEqual([available_minor, promo_minor], [0, 0]);
  await assertInvariants(db);
});

test('a notice ahead of a renewal does not count on credit that will have ended', async (t) => {
  const { services, grant, buy, get, passDays } = await setUp(t, BigInt(PRICE) + 100n);
  const id = await buy();
  await grant(500n, 30);
  const notices = async () => {
    await giveRenewalNotices(services, new Failures(services));
    const events: { type: string; metadata: { lacking_minor: number } }[] = await get(`/v1/vm/${id}/events`);
    return events
      .filter(({ type }) => type === 'billing.renewal_due')
      .map(({ metadata }) => metadata.lacking_minor);
  };
  passDays(25);
  assert.deepEqual(await notices(), [PRICE - 100], 'it ends a day before');
  await grant(300n, 60);
  passDays(4);
  assert.deepEqual(await notices(), [PRICE - 100], 'what lasts is counted');
});
