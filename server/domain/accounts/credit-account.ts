import type { Transaction } from '../../db/database.ts';
import { findPaymentByReference, insertPayment, type PaymentRow } from '../../db/queries/payments.ts';
import { lockWallet, transfer, type WalletRow } from '../../db/queries/wallets.ts';
import type { Clock } from '../../platform/clock.ts';
import { invalidField } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { microsToMinor, minorToMicros, parseMicros } from '../billing/money.ts';

/** A credit that has been given before: an operator who retries must not pay twice. */
export class PaymentExistsError extends Error {
  override name = 'PaymentExistsError';
  readonly payment: PaymentRow;

  constructor(payment: PaymentRow) {
    super(`The account has a payment with the reference ${JSON.stringify(payment.reference)}.`);
    this.payment = payment;
  }
}

export interface Credit {
  /** An existing account. */
  accountId: string;
  amountMinor: bigint;
  /** How the money came, such as "bank_transfer". */
  method: string;
  /** Whatever tells this payment from others of the account; its own id when absent. */
  reference?: string;
}

/**
 * Books money that came in: a succeeded payment, and the amount from cash to the wallet. Throws
 * {@link PaymentExistsError} when the account has a payment with this reference.
 */
export async function creditAccount(
  tx: Transaction,
  clock: Clock,
  credit: Credit,
): Promise<{ payment: PaymentRow; wallet: WalletRow }> {
  const { accountId, amountMinor, method } = credit;
  // The lock also makes credits of one account follow each other, so that two with one reference cannot pass.
  const { currency, available_minor, held_minor } = await lockWallet(tx, accountId);
  if (credit.reference !== undefined) {
    const existing = await findPaymentByReference(tx, accountId, credit.reference);
    if (existing) throw new PaymentExistsError(existing);
  }
  if (available_minor + held_minor + amountMinor > Number.MAX_SAFE_INTEGER) {
    throw invalidField('amount', 'too_large', 'would make the balance larger than a JSON integer can say');
  }
  const at = clock.now();
  const id = newId('pay', clock);
  const payment: PaymentRow = {
    id,
    account_id: accountId,
    method,
    status: 'succeeded',
    amount_minor: amountMinor,
    currency,
    reference: credit.reference ?? id,
    created_at: at,
    settled_at: at,
  };
  await insertPayment(tx, payment);
  const wallet = await transfer(tx, {
    accountId,
    debit: 'cash',
    credit: 'wallet',
    amountMinor,
    reason: 'top_up',
    paymentId: id,
    at,
  });
  return { payment, wallet };
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
