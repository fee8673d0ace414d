import { Option } from 'commander';
import type { TopUp, UnbookedPayment } from '../../shared/api/operator.ts';
import { group, plain, required } from '../command.ts';
import { LARGE_AMOUNT, largeAmount } from '../confirm.ts';
import { instant, money, printFields, printTable } from '../output.ts';

const list = plain('list', 'listTopUps', {
  about: 'list top-ups of customers, newest first',
  options: {
    status: new Option('--status <status>', 'only those').choices([
      'pending',
      'processing',
      'succeeded',
      'failed',
      'expired',
      'canceled',
    ]),
    provider: ['--provider <word>', 'only top-ups with this method, such as bank_transfer'],
  },
  print: (topUps) =>
    printTable(
      ['AT', 'REFERENCE', 'ACCOUNT', 'BY', 'AMOUNT>', 'STATUS', 'ERROR'],
      topUps.map((topUp) => [
        instant(topUp.created_at),
        topUp.reference,
        topUp.account_id,
        topUp.provider,
        money(topUp.amount_minor, topUp.currency),
        topUp.status,
        topUp.error ?? '-',
      ]),
    ),
});

const confirm = plain('confirm', 'confirmTopUp', {
  about: 'confirm a bank transfer that has arrived',
  args: {
    id: ['<reference>', 'reference of the transfer, such as TU-7K3M-9QXD'],
    amount: ['<amount>', 'amount received, such as 50 or 49.90, in the currency of the catalog'],
  },
  question: ({ amount, id }) => largeAmount('Confirm', amount!, id),
  yes: LARGE_AMOUNT,
  help: `If a different amount arrived, book it with account credit under the same reference.

Examples:
  $ vaubanctl payment confirm TU-7K3M-9QXD 50.00`,
  print: (topUp: TopUp) =>
    printFields({
      'top-up': topUp.id,
      account: topUp.account_id,
      amount: money(topUp.amount_minor, topUp.currency),
      status: topUp.status,
      reference: topUp.reference,
      payment: topUp.payment_id ?? 'none',
    }),
});

const refund = plain('refund', 'refundTopUp', {
  about: 'refund a top-up to its payment method',
  args: {
    id: ['<top-up>', 'its id or reference'],
    amount: ['[amount]', 'such as 50 or 49.90 (default: the remaining amount)'],
  },
  options: { reason: required('--reason <text>', 'reason; visible to the customer') },
  question: ({ amount, id }) => (amount === undefined ? undefined : largeAmount('Refund', amount, id)),
  yes: LARGE_AMOUNT,
  print: (made) =>
    printFields({
      refund: made.id,
      'top-up': made.top_up_id,
      account: made.account_id,
      amount: String(made.amount_minor),
      status: made.status,
      error: made.error ?? 'none',
    }),
});

const unbooked = plain('unbooked', 'listUnbookedPayments', {
  about: 'list the payments that the provider has but the books do not',
  options: {
    status: new Option('--status <status>', 'only those')
      .choices(['open', 'booked', 'dismissed'])
      .default('open'),
  },
  help: `They exist after an older copy of the database was restored. Book or dismiss each one:
  $ vaubanctl payment book ubp_...
  $ vaubanctl payment dismiss ubp_... --reason 'booked by hand'`,
  print: (found) =>
    printTable(
      ['PAID AT', 'ID', 'ACCOUNT', 'BY', 'AMOUNT>', 'TAKEN BACK>', 'THERE', 'STATUS'],
      found.map((payment) => [
        instant(payment.paid_at),
        payment.id,
        payment.account_id ?? 'unknown',
        payment.provider,
        money(payment.amount_minor, payment.currency),
        money(payment.taken_back_minor, payment.currency),
        payment.provider_ref,
        payment.status,
      ]),
    ),
});

const UNBOOKED = ['<id>', 'as listed by payment unbooked'] as const;

const book = plain('book', 'bookUnbookedPayment', {
  about: 'book a payment that the provider has but the books do not',
  args: { id: UNBOOKED },
  options: { account_id: ['--account <id>', 'account that paid it, if the provider does not know'] },
  print: printUnbooked,
});

const dismiss = plain('dismiss', 'dismissUnbookedPayment', {
  about: 'leave such a payment out of the books',
  args: { id: UNBOOKED },
  options: { reason: required('--reason <text>', 'reason, for example that it was booked manually') },
  print: printUnbooked,
});

function printUnbooked(found: UnbookedPayment): void {
  printFields({
    id: found.id,
    status: found.status,
    account: found.account_id ?? 'unknown',
    amount: money(found.amount_minor, found.currency),
    payment: found.payment_id ?? 'none',
  });
}

export const payment = group(
  'payment',
  'top-ups by customers',
  ...[list, confirm, refund, unbooked, book, dismiss],
);
