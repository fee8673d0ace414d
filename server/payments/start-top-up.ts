import type { Database, Queryable, Transaction } from '../db/database.ts';
import { keepPaymentMethod, listPaymentMethods } from '../db/queries/money/payment-methods.ts';
import {
  changeTopUp,
  countPendingTopUps,
  insertTopUp,
  shownStatus,
  type TopUpRow,
} from '../db/queries/money/top-ups.ts';
import { lockWallet } from '../db/queries/money/wallets.ts';
import { requireOpen } from '../domain/accounts/account-status.ts';
import { requireRoom } from '../domain/accounts/book-payment.ts';
import { formatMinor } from '../domain/billing/money.ts';
import type { Catalog } from '../domain/catalog/catalog-schema.ts';
import { topUpLimits } from '../domain/catalog/top-up-schema.ts';
import type { Clock } from '../platform/clock.ts';
import { ApiError, invalidField } from '../platform/errors.ts';
import type { FieldCode } from '../platform/field-codes.ts';
import { newId } from '../platform/ids.ts';
import type { Logger } from '../platform/logging.ts';
import type { SecretBox } from '../platform/secrets.ts';
import { newReference } from './bank-transfer.ts';
import { newTopUp } from './new-top-up.ts';
import { originOf } from './origin.ts';
import type { Payments } from './payments.ts';
import type { Begun, KeptMethod, NextStep, PaymentProvider } from './provider.ts';
import { settlePaid, settleUnpaid } from './settle.ts';

/** Most top-ups of an account that may be pending: a customer who changes their mind a few times is not an attacker. */
const MAX_PENDING = 10;
/** Purpose for which the URL of a provider's page is sealed. */
const PAGE_PURPOSE = 'top_up_page';
/** Seconds after which a customer may retry if a provider did not answer. */
const RETRY_SECONDS = 30;

export interface StartParts {
  catalog: Catalog;
  clock: Clock;
  db: Database;
  logger: Logger;
  payments: Payments;
  secrets: SecretBox;
}

export interface TopUpWish {
  accountId: string;
  principalId: string;
  provider: string;
  amountMinor: bigint;
  /** True if the payment method will be kept, for automatic top-ups. */
  keepMethod: boolean;
}

/** A payment that a provider has begun, for a top-up that is not written yet. */
export interface BegunTopUp {
  id: string;
  reference: string;
  expiresAt: Date;
  begun: Begun;
}

/**
 * Has the provider begin the payment, before any transaction. Returns undefined if nothing was begun, because the
 * request will be refused anyway or the provider does not answer. If the top-up is not written after all, its payment
 * was not shown to anyone, so it cannot be paid.
 */
export async function beginTopUp(parts: StartParts, wish: TopUpWish): Promise<BegunTopUp | undefined> {
  const { clock, db, logger, payments, catalog, secrets } = parts;
  const provider = payments.find(wish.provider);
  if (!provider || amountProblem(catalog, wish.amountMinor, provider)) return undefined;
  if ((await countPendingTopUps(db, wish.accountId)) >= MAX_PENDING) return undefined;
  const id = newId('top', clock);
  const reference = newReference();
  const expiresAt = new Date(clock.now().getTime() + provider.validMs);
  try {
    const begun = await provider.begin({
      id,
      origin: originOf(secrets, id, wish.accountId),
      reference,
      amountMinor: wish.amountMinor,
      currency: catalog.currency,
      keepMethod: wish.keepMethod && provider.canCharge,
      customerRef: await customerAt(db, wish.accountId, provider),
      returnUrl: payments.returnUrl(id),
      expiresAt,
    });
    return { id, reference, expiresAt, begun };
  } catch (error) {
    // A refusal, too, is ours to fix: the provider did not look at any data of the customer.
    logger.error({ err: error, provider: provider.name }, 'the provider did not start a payment');
    return undefined;
  }
}

/** Returns the provider's id of the account's customer, if it has one: its page then offers the methods kept there. */
async function customerAt(
  db: Queryable,
  accountId: string,
  { name, canCharge }: PaymentProvider,
): Promise<string | null> {
  if (!canCharge) return null;
  const methods = await listPaymentMethods(db, accountId);
  return methods.find(({ provider }) => provider === name)?.customer_ref ?? null;
}

/**
 * Writes the top-up that a provider has begun, with its outcome if that is already known. Refuses a top-up that
 * {@link beginTopUp} did not begin.
 */
export async function startTopUp(
  tx: Transaction,
  parts: StartParts,
  wish: TopUpWish,
  begun: BegunTopUp | undefined,
): Promise<{ topUp: TopUpRow; next: NextStep }> {
  const { catalog, clock, payments } = parts;
  const provider = payments.find(wish.provider);
  if (!provider) throw invalidField('provider', 'not_found', offered(payments));
  const problem = amountProblem(catalog, wish.amountMinor, provider);
  if (problem) throw invalidField('amount_minor', problem.code, problem.message);
  await requireOpen(tx, wish.accountId);
  const wallet = await lockWallet(tx, wish.accountId);
  requireRoom(wallet, wish.amountMinor, 'amount_minor');
  const pending = await countPendingTopUps(tx, wish.accountId);
  if (pending >= MAX_PENDING)
    throw new ApiError(
      'quota_exceeded',
      `${pending} top-ups are still unpaid. Pay them, or wait until they expire.`,
      {
        quota: 'pending_top_ups',
        limit: MAX_PENDING,
        used: pending,
      },
    );
  if (!begun)
    throw new ApiError(
      'service_unavailable',
      'The payment provider is not responding. Nothing was charged.',
      {
        retry_after_seconds: RETRY_SECONDS,
      },
    );
  const row = await write(tx, parts, wish, provider, wallet.currency, begun, clock.now());
  return { topUp: await decide(tx, parts, row, begun.begun), next: begun.begun.next };
}

/** Returns the next step of a customer who comes back to a top-up; null if it is settled or automatic. */
export function nextStepOf(
  { payments, secrets }: Pick<StartParts, 'payments' | 'secrets'>,
  topUp: TopUpRow,
): NextStep | null {
  const { cause, provider, reference, sealed_page } = topUp;
  if (shownStatus(topUp) !== 'pending' || cause !== 'person') return null;
  if (sealed_page !== null) return { kind: 'redirect', url: secrets.open(sealed_page, PAGE_PURPOSE) };
  return payments.find(provider)?.nextStep?.(reference) ?? null;
}

const offered = ({ providers }: Payments) =>
  providers.length === 0
    ? 'no payment provider is available'
    : `must be one of ${providers.map(({ name }) => name).join(', ')}`;

/** Returns what is wrong with an amount to be charged by `provider`, if anything. */
export function amountProblem(
  catalog: Catalog,
  amountMinor: bigint,
  provider?: PaymentProvider,
): { code: FieldCode; message: string } | undefined {
  const { min, max } = topUpLimits(catalog);
  if (amountMinor < min)
    return { code: 'too_small', message: `must be at least ${formatMinor(min, catalog.currency)}` };
  if (amountMinor > max)
    return { code: 'too_large', message: `must be at most ${formatMinor(max, catalog.currency)}` };
  return unitProblem(catalog.currency, amountMinor, provider);
}

/** Returns a problem if `provider` cannot move exactly this amount. */
export function unitProblem(
  currency: string,
  amountMinor: bigint,
  provider: PaymentProvider | undefined,
): { code: FieldCode; message: string } | undefined {
  const unit = provider?.unit?.(currency) ?? 1n;
  if (amountMinor % unit === 0n) return undefined;
  const message = `must be a multiple of ${formatMinor(unit, currency)} to be paid by ${provider!.name}`;
  return { code: 'too_precise', message };
}

async function write(
  tx: Transaction,
  { secrets }: Pick<StartParts, 'secrets'>,
  { accountId, principalId, amountMinor, keepMethod }: TopUpWish,
  provider: PaymentProvider,
  currency: string,
  { id, reference, expiresAt, begun }: BegunTopUp,
  at: Date,
): Promise<TopUpRow> {
  const row = newTopUp({
    id,
    account_id: accountId,
    provider: provider.name,
    amount_minor: amountMinor,
    currency,
    reference,
    provider_ref: begun.providerRef,
    keep_method: keepMethod && provider.canCharge,
    principal_id: principalId,
    created_at: at,
    expires_at: expiresAt,
    session_ref: begun.sessionRef ?? null,
    sealed_page: begun.next.kind === 'redirect' ? secrets.seal(begun.next.url, PAGE_PURPOSE) : null,
  });
  await insertTopUp(tx, row);
  return row;
}

async function decide(
  tx: Transaction,
  parts: StartParts,
  row: TopUpRow,
  { outcome, method }: Begun,
): Promise<TopUpRow> {
  if (outcome.status === 'pending' || outcome.status === 'processing') return row;
  if (outcome.status === 'failed')
    return settleUnpaid(tx, parts, row, { status: 'failed', error: outcome.error });
  const kept = method ? await keepMethod(tx, parts, row, method) : row;
  return settlePaid(tx, parts, kept, {
    amountMinor: row.amount_minor,
    currency: row.currency,
    providerRef: outcome.providerRef,
  });
}

/** Keeps the payment method with which a top-up was paid. The caller holds the top-up's lock. */
export async function keepMethod(
  tx: Transaction,
  { clock }: { clock: Clock },
  topUp: TopUpRow,
  method: KeptMethod,
): Promise<TopUpRow> {
  const kept = await keepPaymentMethod(tx, {
    id: newId('pmt', clock),
    account_id: topUp.account_id,
    provider: topUp.provider,
    customer_ref: method.customerRef,
    method_ref: method.methodRef,
    label: method.label,
    expires_on: method.expiresOn,
    created_at: clock.now(),
    removed_at: null,
  });
  return changeTopUp(tx, topUp, { payment_method_id: kept.id });
}
