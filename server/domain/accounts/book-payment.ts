import type { Transaction } from '../../db/database.ts';
import { findPaymentByReference, insertPayment, type PaymentRow } from '../../db/queries/payments.ts';
import {
  type BookedReversal,
  changeReversal,
  linkReversal,
  owedReversals,
} from '../../db/queries/top-up-reversals.ts';
import { lockWallet, transfer, type WalletRow } from '../../db/queries/wallets.ts';
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

/** A payment to book, in either direction. */
export interface Credit {
  /** An existing account. */
  accountId: string;
  /** More than zero. */
  amountMinor: bigint;
  /** How the money came or went, such as "bank_transfer". */
  method: string;
  /** Whatever tells this payment from others of the account; its own id when absent. */
  reference?: string;
  /** The input field that the amount came from; "amount" when absent. */
  field?: 'amount' | 'amount_minor';
  /** It was in the wallet before, or the customer has paid it: it is taken even where the wallet is full. */
  isDue?: boolean;
}

/** The payment, and the wallet after it. */
interface Booked {
  payment: PaymentRow;
  wallet: WalletRow;
}

/** The sign of a payment by the way that its money goes, and what the journal calls it. */
const DIRECTIONS = {
  in: { sign: 1n, reason: 'top_up' },
  out: { sign: -1n, reason: 'payout' },
} as const;

/**
 * Books money that came in: a succeeded payment, and the amount from clearing to the wallet. It pays the account's debt
 * first. Throws `payment_exists` when the account has a payment with this reference, and `too_large` where the balance
 * would pass the most that a wallet may hold and the money could still be refused.
 */
export async function creditAccount(tx: Transaction, clock: Clock, credit: Credit): Promise<Booked> {
  const booked = await book(tx, clock, 'in', credit);
  if (booked.wallet.claimed_minor === 0n) return booked;
  return { ...booked, wallet: await collectDebt(tx, clock, credit.accountId) };
}

/**
 * Books money that went back out, such as a payment that its bank recalled: a negative payment, and the amount from the
 * wallet to clearing. What is held for orders stays held, and promotional credit is not paid out. Throws
 * `insufficient_funds`, and `payment_exists` when the account has a payment with this reference.
 */
export function debitAccount(tx: Transaction, clock: Clock, debit: Credit): Promise<Booked> {
  return book(tx, clock, 'out', debit);
}

/** Takes what an account owes from its wallet, as far as the money in it reaches. The wallet after it. */
export async function collectDebt(tx: Transaction, clock: Clock, accountId: string): Promise<WalletRow> {
  await lockWallet(tx, accountId);
  for (const owed of await owedReversals(tx, accountId)) {
    const { amount_minor: amountMinor, told_at: toldAt } = owed;
    await bookReversal(tx, clock, owed, { amountMinor, isVoid: false, toldAt });
  }
  return collectVmDebts(tx, accountId, clock.now());
}

/**
 * Brings the books to what a provider says about money that it takes back: takes more of it, as far as the money in the
 * wallet reaches, or puts back what was taken too much. The caller holds the wallet.
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
  // What is put back pays other debts of the account.
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
  // The lock also makes payments of one account follow each other, so that two with one reference cannot pass.
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

/** A payment that has been booked before: an operator who retries must not book it twice. */
function paymentExists({ id, reference }: PaymentRow): ApiError {
  const message = `The account has a payment with the reference ${JSON.stringify(reference)}.`;
  return new ApiError('payment_exists', message, { payment_id: id });
}

/** Refuses an amount, the field `field`, by which a balance would pass the most that a wallet may hold. */
export function requireRoom(
  { available_minor, held_minor }: WalletRow,
  amountMinor: bigint,
  field: 'amount' | 'amount_minor' = 'amount',
): void {
  const room = MAX_BALANCE_MINOR - available_minor - held_minor;
  if (amountMinor <= room) return;
  const most = toJsonInteger(max(room, 0n));
  throw invalidField(field, 'too_large', `must be at most ${most} minor units, as the wallet is`);
}

/** Twelve digits are a thousand billion: more is a slip of the hand. */
const AMOUNT = /^\d{1,12}(\.\d{1,6})?$/;

/**
 * An amount such as "100.00", the field `amount`, in minor units of `currency`. More digits behind the point
 * than the currency has are refused rather than rounded.
 */
export function amountToMinor(text: string, currency: string): bigint {
  if (!AMOUNT.test(text)) throw invalidField('amount', 'decimal', 'must be a decimal such as 49.90');
  const micros = parseMicros(text);
  const minor = microsToMinor(micros, currency);
  if (minorToMicros(minor, currency) !== micros) {
    throw invalidField('amount', 'too_precise', `has more digits behind the point than ${currency} has`);
  }
  if (minor === 0n) throw invalidField('amount', 'not_positive', 'must be more than zero');
  return minor;
}
