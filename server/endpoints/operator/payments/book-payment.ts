import type { Transaction } from '../../../db/database.ts';
import type { PaymentRow } from '../../../db/queries/money/payments.ts';
import { systemFindTopUp } from '../../../db/queries/money/top-ups.ts';
import type { requireOpen } from '../../../domain/accounts/account-status.ts';
import type { creditAccount } from '../../../domain/accounts/book-payment.ts';
import { toJsonInteger } from '../../../domain/billing/money.ts';
import { Input } from '../../../http/schemas.ts';
import type { OperatorServices } from '../../../http/services.ts';
import { mailBilling } from '../../../mail/billing-contacts.ts';
import type { MailParts } from '../../../mail/outbox.ts';
import { invalidField } from '../../../platform/errors.ts';
import { type Static, Type } from '../../../platform/schema.ts';
import { requireAccount } from '../accounts/require-account.ts';
import { AmountFields, amountField, amountOf } from '../shared/amount.ts';
import { Line, requireReadable } from '../shared/input.ts';
import { Key, once } from '../shared/once.ts';
import { presentWallet } from '../shared/wallet-shape.ts';
import { presentPayment } from './payment-shape.ts';

export const NewPayment = Input({
  ...AmountFields,
  method: Type.Optional(
    Type.String({
      pattern: '^[a-z][a-z0-9_]{0,31}$',
      'x-expected': '1 to 32 lower-case letters, digits and underscores, beginning with a letter',
      description: 'Payment method; defaults to `manual`',
    }),
  ),
  reference: Type.Optional(Line('transfer 4711', 'Unique reference of the payment; refused if used again')),
  key: Key,
});

/** The default: cash that was counted. */
const DEFAULT_METHOD = 'manual';

interface Booking {
  /** Id of the account. */
  id: string;
  /** Path of the operation: a key stands for a request at one path. */
  path: string;
  body: Static<typeof NewPayment>;
  book: typeof creditAccount;
  /** Refuses accounts for which nothing may be booked. */
  require: typeof requireOpen;
  /** The message for the log. */
  done: string;
}

/** Refuses the reference of another account's top-up: the money belongs to that customer and would be booked twice. */
async function requireOwnTopUp(tx: Transaction, accountId: string, reference: string): Promise<void> {
  const topUp = await systemFindTopUp(tx, reference);
  if (topUp && topUp.account_id !== accountId)
    throw invalidField(
      'reference',
      'not_allowed',
      `belongs to a top-up of the account ${topUp.account_id}; if the money has arrived, confirm that top-up`,
    );
}

function mailReceipt(tx: Transaction, parts: MailParts, payment: PaymentRow): Promise<void> {
  const { id, account_id, amount_minor, currency, method, reference, created_at } = payment;
  return mailBilling(tx, parts, account_id, 'top_up_succeeded', `receipt ${id}`, (account) => ({
    ...{ account, currency, method, amountMinor: toJsonInteger(amount_minor) },
    reference: reference ?? id,
    paidAt: created_at.toISOString(),
  }));
}

/** Books a payment, only once if it has a key, and returns it with the resulting wallet. */
export async function bookPayment(
  { clock, db, logger, secrets }: OperatorServices,
  { id, path, body, book, require, done }: Booking,
) {
  const { method = DEFAULT_METHOD, reference } = body;
  if (reference !== undefined) requireReadable('reference', reference);
  const data = await db.transaction((tx: Transaction) =>
    once(tx, clock, { path, body }, async () => {
      const { currency } = await requireAccount(tx, id);
      const amountMinor = amountOf(body, currency);
      await require(tx, id);
      if (reference !== undefined) await requireOwnTopUp(tx, id, reference);
      const booking = { accountId: id, amountMinor, method, reference, field: amountField(body) };
      const { payment, wallet } = await book(tx, clock, booking);
      if (payment.amount_minor > 0n) await mailReceipt(tx, { clock, secrets }, payment);
      return { ...presentPayment(payment), wallet: presentWallet(wallet) };
    }),
  );
  logger.info({ account_id: id, payment_id: data.id, amount_minor: data.amount_minor }, done);
  return { data };
}
