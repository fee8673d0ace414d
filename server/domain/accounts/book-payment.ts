import type { Transaction } from '../../db/database.ts';
import { findPaymentByReference, insertPayment, type PaymentRow } from '../../db/queries/money/payments.ts';
import {
  type BookedReversal,
  changeReversal,
  linkReversal,
  owedReversals,
} from '../../db/queries/money/top-up-reversals.ts';
import { lockWallet, transfer, type WalletRow } from '../../db/queries/money/wallets.ts';
import type { Clock } from '../../platform/clock.ts';
import { ApiError, invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { clearing } from '../billing/chart.ts';
import { requireMoney } from '../billing/ledger.ts';
import {
  MAX_BALANCE_MINOR,
  max,
  microsToMinor,
  min,
  minorToMicros,
  parseMicros,
  toJsonInteger,
} from '../billing/money.ts';
import { collectVmDebts } from '../billing/vm-debts.ts';

/** A payment to book: money in or out. */
export interface Credit {
  accountId: string;
  /** Must be more than zero. */
  amountMinor: bigint;
  /** The payment method, such as "bank_transfer". */
  method: string;
  /** Tells this payment from others of the account; defaults to the payment's own id. */
  reference?: string;
  /** The input field of the amount, for errors; defaults to "amount". */
  field?: 'amount' | 'amount_minor';
  /** The money was in the wallet before, or the customer has paid it: accepted even if the wallet is full. */
  isDue?: boolean;
}

/** The payment, and the wallet after the booking. */
interface Booked {
  payment: PaymentRow;
  wallet: WalletRow;
}

/** The sign of a payment and its reason in the journal, by direction. */
const DIRECTIONS = {
  in: { sign: 1n, reason: 'top_up' },
  out: { sign: -1n, reason: 'payout' },
} as const;

/**
 * Books incoming money: a succeeded payment, and the amount from clearing to the wallet. Then collects the account's
 * debt. Throws `payment_exists` if the account has a payment with this reference, and `too_large` if the balance would
 * exceed a wallet's maximum and the money can still be refused.
 */
export async function creditAccount(tx: Transaction, clock: Clock, credit: Credit): Promise<Booked> {
  const booked = await book(tx, clock, 'in', credit);
  if (booked.wallet.claimed_minor === 0n) return booked;
  return { ...booked, wallet: await collectDebt(tx, clock, credit.accountId) };
}

/**
 * Books outgoing money, such as a payment that its bank recalled: a negative payment, and the amount from the wallet to
 * clearing. Money that orders hold stays held, and promotional credit is not paid out. Throws `insufficient_funds`, and
 * `payment_exists` if the account has a payment with this reference.
 */
export function debitAccount(tx: Transaction, clock: Clock, debit: Credit): Promise<Booked> {
  return book(tx, clock, 'out', debit);
}

/** Collects an account's debt from its wallet, as far as the balance allows. Returns the wallet afterwards. */
export async function collectDebt(tx: Transaction, clock: Clock, accountId: string): Promise<WalletRow> {
  await lockWallet(tx, accountId);
  for (const owed of await owedReversals(tx, accountId)) {
    const { amount_minor: amountMinor, told_at: toldAt } = owed;
    await bookReversal(tx, clock, owed, { amountMinor, isVoid: false, toldAt });
  }
  return collectVmDebts(tx, accountId, clock.now());
}

/**
 * Brings the books in line with what a provider says about a reversal: takes more from the wallet, as far as its money
 * reaches, or puts back what was taken in excess. The caller holds the wallet's lock.
 */
export async function bookReversal(
  tx: Transaction,
  clock: Clock,
  before: BookedReversal,
  told: { amountMinor: bigint; isVoid: boolean; toldAt: Date | null },
): Promise<BookedReversal> {
  const { account_id: accountId, id, provider: method, moves } = before;
  const { amountMinor, isVoid, toldAt: told_at } = told;
  const wallet = await lockWallet(tx, accountId);
  const wanted = (isVoid ? 0n : amountMinor) - before.taken_minor;
  const more = min(wanted, wallet.available_minor - wallet.promo_minor);
  if (more !== 0n) {
    const reference = moves === 0 ? id : `${id} ${moves + 1}`;
    const move = { accountId, amountMinor: more > 0n ? more : -more, method, reference, isDue: true };
    const { payment } = await book(tx, clock, more > 0n ? 'out' : 'in', move);
    await linkReversal(tx, id, payment.id);
  }
  const taken_minor = before.taken_minor + more;
  const amount_minor = isVoid ? before.amount_minor : amountMinor;
  const status = isVoid ? 'void' : taken_minor === amount_minor ? 'taken' : 'owed';
  const settled_at = status === 'owed' ? null : (before.settled_at ?? clock.now());
  const after = { ...before, status, amount_minor, taken_minor, told_at, settled_at } as const;
  await changeReversal(tx, before, after);
  // Money that was put back pays other debts of the account.
  if (more < 0n && wallet.claimed_minor > 0n) await collectDebt(tx, clock, accountId);
  return after;
}

async function book(
  tx: Transaction,
  clock: Clock,
  direction: keyof typeof DIRECTIONS,
  { accountId, amountMinor, method, reference, field, isDue }: Credit,
): Promise<Booked> {
  const { sign, reason } = DIRECTIONS[direction];
  // The lock also serializes an account's payments, so that two with the same reference cannot both succeed.
  const locked = await lockWallet(tx, accountId);
  if (reference !== undefined) {
    const existing = await findPaymentByReference(tx, accountId, reference);
    if (existing) throw paymentExists(existing);
  }
  if (direction === 'out') requireMoney(locked, amountMinor);
  else if (!isDue) requireRoom(locked, amountMinor, field);
  const at = clock.now();
  const id = newId('pay', clock);
  const payment: PaymentRow = {
    id,
    account_id: accountId,
    method,
    status: 'succeeded',
    amount_minor: sign * amountMinor,
    currency: locked.currency,
    reference: reference ?? id,
    created_at: at,
    settled_at: at,
  };
  await insertPayment(tx, payment);
  const provider = clearing(method);
  const [debit, credit] =
    direction === 'in' ? ([provider, 'wallet'] as const) : (['wallet', provider] as const);
  const wallet = await transfer(tx, { accountId, debit, credit, amountMinor, reason, paymentId: id, at });
  return { payment, wallet };
}

/** Returns the error for a payment that has been booked before: an operator who retries must not book it twice. */
function paymentExists({ id, reference }: PaymentRow): ApiError {
  const message = `The account already has a payment with the reference ${JSON.stringify(reference)}.`;
  return new ApiError('payment_exists', message, { payment_id: id });
}

/** Refuses an amount, given in `field`, with which the balance would exceed a wallet's maximum. */
export function requireRoom(
  { available_minor, held_minor }: WalletRow,
  amountMinor: bigint,
  field: 'amount' | 'amount_minor' = 'amount',
): void {
  const room = MAX_BALANCE_MINOR - available_minor - held_minor;
  if (amountMinor <= room) return;
  const most = toJsonInteger(max(room, 0n));
  throw invalidField(
    field,
    'too_large',
    `must be at most ${most} minor units, so that the wallet stays within its limit`,
  );
}

/** Twelve digits are a thousand billion: anything longer is a typo. */
const AMOUNT = /^\d{1,12}(\.\d{1,6})?$/;

/**
 * Converts an amount such as "100.00", given in the field `amount`, to minor units of `currency`. Refuses more decimals
 * than the currency has, rather than rounding.
 */
export function amountToMinor(text: string, currency: string): bigint {
  if (!AMOUNT.test(text)) throw invalidField('amount', 'invalid_format', 'must be a decimal such as 49.90');
  const micros = parseMicros(text);
  const minor = microsToMinor(micros, currency);
  if (minorToMicros(minor, currency) !== micros) {
    throw invalidField('amount', 'too_precise', `has more decimal places than ${currency}`);
  }
  if (minor === 0n) throw invalidField('amount', 'too_small', 'must be greater than zero');
  return minor;
}
