import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import type { Database } from '../../../server/db/database.ts';
import { systemFindTopUp, type TopUpRow } from '../../../server/db/queries/money/top-ups.ts';
import { lookUpWallet } from '../../../server/db/queries/money/wallets.ts';
import { auditNow } from '../../../server/domain/billing/audit/audit.ts';
import { beginTopUp, startTopUp, type TopUpWish } from '../../../server/payments/start-top-up.ts';
import { lookAfterPayments } from '../../../server/payments/tasks.ts';
import { Failures } from '../../../server/platform/failures.ts';
import { openCustomer } from '../../jobs/support/customer.ts';
import { openInstallation, runJobs } from '../../jobs/support/installation.ts';
import { defer } from '../../support/cleanup.ts';
import { freshDatabase } from '../../support/database.ts';
import { UnsteadyClock } from '../../support/unsteady-clock.ts';
import { STRIPE_KEY, signatureOf, startStripe, type Thing, WEBHOOK_SECRET } from './stripe.ts';

/** Settings of a service that offers every payment method. */
export const shopSettings = (stripeUrl: string) => ({
  VAUBAN_PAYMENT_PROVIDERS: 'stripe, bank_transfer, test',
  VAUBAN_BANK_RECIPIENT: 'Example GmbH',
  VAUBAN_BANK_IBAN: 'DE89 3704 0044 0532 0130 00',
  VAUBAN_STRIPE_SECRET_KEY: STRIPE_KEY,
  VAUBAN_STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
  VAUBAN_STRIPE_BASE_URL: stripeUrl,
});

/** An installation that offers every payment method, with a customer whose wallet is empty. */
export async function paymentShop(
  t: TestContext,
  env: Record<string, string> = {},
  given: { db?: Database } = {},
) {
  const stripe = await startStripe(t);
  const db = given.db ?? (await freshDatabase(t));
  const clock = new UnsteadyClock('2026-01-01T00:00:00Z');
  Object.defineProperty(stripe, 'now', { get: () => Math.floor(clock.now().getTime() / 1000) });
  const installation = await openInstallation(db, {
    clock,
    env: { ...shopSettings(stripe.url), ...env },
  });
  defer(t, () => installation.close());
  const { services } = installation;
  const customer = await openCustomer(installation, 0n);
  const { accountId } = customer;
  const wish = (provider: string, amountMinor: bigint, more: Partial<TopUpWish> = {}): TopUpWish => ({
    accountId,
    principalId: 'prs_00000000000000000000000000',
    provider,
    amountMinor,
    keepMethod: false,
    ...more,
  });
  /** Like the panel: the provider first, then the transaction. */
  const start = async (asked: TopUpWish) => {
    const begun = await beginTopUp(services, asked);
    return db.transaction((tx) => startTopUp(tx, services, asked, begun));
  };
  const deliver = async (event: Thing, { at = clock.now(), secret = WEBHOOK_SECRET, body = '' } = {}) => {
    const payload = JSON.stringify(event);
    const reply = await installation.http.inject({
      method: 'POST',
      url: '/webhooks/stripe',
      headers: { 'stripe-signature': signatureOf(payload, at, secret), 'content-type': 'application/json' },
      payload: body || payload,
    });
    return reply.statusCode;
  };
  // One node for all its work, because each node reserves a connection of the pool.
  let node: Awaited<ReturnType<typeof installation.openNode>> | undefined;
  return {
    stripe,
    db,
    clock,
    services,
    http: installation.http,
    /** Runs all jobs to completion. */
    work: async () => {
      node ??= await installation.openNode();
      await runJobs(installation, node);
    },
    customer,
    accountId,
    wish,
    start,
    deliver,
    session: (topUp: TopUpRow) =>
      [...stripe.sessions.values()].find(({ metadata }) => metadata.vauban_top_up === topUp.id)!,
    find: async (topUp: { id: string }) => (await systemFindTopUp(db, topUp.id))!,
    look: () => lookAfterPayments(services, new Failures(services)),
    available: async () => (await lookUpWallet(db, accountId)).available_minor,
    sound: async () => assert.deepEqual(await auditNow(db), []),
  };
}
