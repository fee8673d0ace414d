import { expireTopUps, type TopUpRow } from '../../server/db/queries/money/top-ups.ts';
import { newReference } from '../../server/payments/bank-transfer.ts';
import { refundTopUp } from '../../server/payments/refund-top-up.ts';
import { beginTopUp, startTopUp, type TopUpWish } from '../../server/payments/start-top-up.ts';
import { receiveEvent } from '../../server/payments/stripe/webhook.ts';
import { lookAfterPayments } from '../../server/payments/tasks.ts';
import { Failures } from '../../server/platform/failures.ts';
import { newId } from '../../server/platform/ids.ts';
import type { Services } from '../../server/start/services.ts';
import type { Operation } from './operations.ts';
import type { Prng } from './prng.ts';
import { refusalOf, type Tenant } from './tenant.ts';
import type { World } from './world.ts';

/** Providers in every world. Nothing listens at Stripe's address: its actions arrive as events. */
export const PROVIDERS = {
  VAUBAN_PAYMENT_PROVIDERS: 'test, stripe',
  VAUBAN_STRIPE_SECRET_KEY: 'sk_test_simulation',
  VAUBAN_STRIPE_WEBHOOK_SECRET: 'whsec_simulation',
  VAUBAN_STRIPE_BASE_URL: 'http://127.0.0.1:1',
};

const DAY_MS = 86_400_000;
/**
 * Last digits of the amounts: two of them make the test provider decline or leave the payment undecided; see
 * `payments/test-provider.ts`.
 */
const ENDINGS = [0, 0, 0, 13, 42];

/** A tenant's latest top-ups, whose events come and go. */
export interface Book {
  topUps: TopUpRow[];
  /** Top-ups that the service confirmed as credited to the wallet. */
  paid: Set<string>;
  refunds: { id: string; amountMinor: bigint }[];
  /** Refunds that failed and whose money came back. */
  returned: Set<string>;
}

const REMEMBERED = 15;
const books = new WeakMap<Tenant, Book>();

export function bookOf(tenant: Tenant): Book {
  const book = books.get(tenant) ?? { topUps: [], paid: new Set(), refunds: [], returned: new Set() };
  books.set(tenant, book);
  return book;
}

function note(tenant: Tenant, topUp: TopUpRow): void {
  const book = bookOf(tenant);
  book.topUps = [...book.topUps.slice(1 - REMEMBERED), topUp];
  if (topUp.status === 'succeeded') credit(tenant, topUp);
}

/** A top-up is paid once, however often the event arrives. */
export function credit(tenant: Tenant, { id, amount_minor }: Pick<TopUpRow, 'id' | 'amount_minor'>): void {
  const { paid } = bookOf(tenant);
  if (paid.has(id)) return;
  paid.add(id);
  tenant.creditedMinor += amount_minor;
}

const wishOf = (tenant: Tenant, provider: string, amountMinor: number): TopUpWish => ({
  accountId: tenant.customer.accountId,
  principalId: 'prs_simulation',
  provider,
  amountMinor: BigInt(amountMinor),
  keepMethod: false,
});

const payAtOnce: Operation = (world, prng) => {
  const { services } = world.someNode();
  const tenant = world.tenant(prng);
  const wish = wishOf(tenant, 'test', prng.between(5, 40) * 100 + prng.pick(ENDINGS)!);
  const work = async () => {
    const begun = await beginTopUp(services, wish);
    const { topUp } = await services.db.transaction((tx) => startTopUp(tx, services, wish, begun));
    note(tenant, topUp);
  };
  return refusalOf(work());
};

/** The payment page exists; the rest arrives as events. */
const goToStripe: Operation = (world, prng) => {
  const { services } = world.someNode();
  const { clock, db } = services;
  const tenant = world.tenant(prng);
  const wish = wishOf(tenant, 'stripe', prng.between(500, 4000));
  const begun = {
    id: newId('top', clock),
    reference: newReference(),
    expiresAt: new Date(clock.now().getTime() + DAY_MS),
    begun: {
      next: { kind: 'redirect' as const, url: 'https://stripe.example/' },
      providerRef: null,
      outcome: { status: 'pending' as const, providerRef: null },
      method: null,
    },
  };
  const work = async () =>
    note(tenant, (await db.transaction((tx) => startTopUp(tx, services, wish, begun))).topUp);
  return refusalOf(work());
};

/** Stripe's event about a top-up: its payment in one of two ways, its end, or an unexpected amount. */
function eventOf({ id, amount_minor, currency }: TopUpRow, type: string, amount = Number(amount_minor)) {
  const metadata = { vauban_top_up: id };
  const common = { metadata, currency: currency.toLowerCase() };
  const intent = `pi_${id}`;
  const object = type.startsWith('payment_intent')
    ? { ...common, id: intent, amount_received: amount }
    : { ...common, payment_intent: intent, payment_status: 'paid', amount_total: amount };
  return { type, data: { object } };
}

const PAID = ['checkout.session.completed', 'payment_intent.succeeded'];
const UNPAID = [
  'checkout.session.expired',
  'checkout.session.async_payment_failed',
  'payment_intent.payment_failed',
];

export const deliver = ({ clock, db, logger, payments, secrets }: Services, event: object) =>
  receiveEvent({ api: payments.stripe!.api, clock, db, logger, secrets }, event);

/** Events arrive in any order, repeatedly and at both nodes at once. */
const hearOfTopUp: Operation = async (world, prng) => {
  const tenant = world.anyone(prng, (one) =>
    bookOf(one).topUps.some(({ provider }) => provider === 'stripe'),
  );
  const topUp = prng.pick(bookOf(tenant).topUps.filter(({ provider }) => provider === 'stripe'));
  if (!topUp) return 'no_top_up';
  const types = Array.from(
    { length: prng.between(1, 3) },
    () => prng.pick(prng.chance(0.6) ? PAID : UNPAID)!,
  );
  const wrong = prng.chance(0.1) ? Number(topUp.amount_minor) + 1 : undefined;
  await Promise.all(types.map((type) => deliver(world.someNode().services, eventOf(topUp, type, wrong))));
  if (wrong !== undefined) return 'mismatch';
  if (!types.some((type) => PAID.includes(type))) return 'unpaid';
  credit(tenant, topUp);
  return 'ok';
};

const sendBack: Operation = (world, prng) => {
  const tenant = world.anyone(prng, (one) => bookOf(one).paid.size > 0);
  const topUp = prng.pick(bookOf(tenant).topUps);
  if (!topUp) return Promise.resolve('no_top_up');
  const amountMinor = prng.chance(0.5) ? undefined : BigInt(prng.between(1, 2000));
  const wish = { topUp: topUp.reference, amountMinor, reason: 'simulation', actor: 'simulation' };
  const work = async () => {
    const refund = await refundTopUp(world.someNode().services, wish);
    if (refund.status === 'failed') return;
    tenant.creditedMinor -= refund.amount_minor;
    if (topUp.provider !== 'stripe') return;
    const book = bookOf(tenant);
    const { id, amount_minor } = refund;
    book.refunds = [...book.refunds.slice(1 - REMEMBERED), { id, amountMinor: amount_minor }];
  };
  return refusalOf(work());
};

/** A refund succeeded or failed: it may fail after it succeeded, but never the other way round. */
const hearOfRefund: Operation = async (world, prng) => {
  const tenant = world.anyone(prng, (one) => bookOf(one).refunds.length > 0);
  const { refunds, returned } = bookOf(tenant);
  const refund = prng.pick(refunds);
  if (!refund) return 'no_refund';
  const statuses = Array.from({ length: prng.between(1, 2) }, () =>
    prng.chance(0.7) ? 'succeeded' : 'failed',
  );
  const event = (status: string) => ({
    type: 'refund.updated',
    data: { object: { id: `re_${refund.id}`, status, metadata: { vauban_refund: refund.id } } },
  });
  await Promise.all(statuses.map((status) => deliver(world.someNode().services, event(status))));
  if (!statuses.includes('failed')) return 'ok';
  if (!returned.has(refund.id)) tenant.creditedMinor += refund.amountMinor;
  returned.add(refund.id);
  return 'returned';
};

const expire: Operation = async ({ services: { db, clock } }) => {
  await expireTopUps(db, clock.now(), 100);
  return 'ok';
};

const lookAfter: Operation = async (world: World, _prng: Prng) => {
  const { services } = world.someNode();
  await lookAfterPayments(services, new Failures(services));
  return 'ok';
};

/** The customers' ways to pay, the providers' events, and their weights. */
export const TOP_UPS = {
  payAtOnce: { weight: 2, run: payAtOnce },
  goToStripe: { weight: 2, run: goToStripe },
  hearOfTopUp: { weight: 4, run: hearOfTopUp },
  sendBack: { weight: 1, run: sendBack },
  hearOfRefund: { weight: 1, run: hearOfRefund },
  expireTopUps: { weight: 0.3, run: expire },
  lookAfterPayments: { weight: 0.1, run: lookAfter },
} satisfies Record<string, { weight: number; run: Operation }>;
