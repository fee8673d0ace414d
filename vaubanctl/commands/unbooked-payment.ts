import { type Command, Option } from 'commander';
import { contextOf } from '../context.ts';
import type { Lists, UnbookedPayment } from '../operator-api.ts';
import { instant, money, printFields, printJson, printTable } from '../output.ts';

type Query = Lists['/unbooked-payments']['query'];

export function addPaymentUnbooked(parent: Command): void {
  parent
    .command('unbooked')
    .description('list the payments that the provider has but the books do not')
    .addOption(
      new Option('--status <status>', 'only those').choices(['open', 'booked', 'dismissed']).default('open'),
    )
    .addHelpText(
      'after',
      `
They exist after an older copy of the database was restored. Book or dismiss each one:
  $ vaubanctl payment book ubp_...
  $ vaubanctl payment dismiss ubp_... --reason 'booked by hand'`,
    )
    .action(async ({ status }: Query, command: Command) => {
      const { client, json } = contextOf(command);
      const found = await client.list('/unbooked-payments', { query: { status } });
      if (json) return printJson(found);
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
      );
    });
}

export function addPaymentBook(parent: Command): void {
  parent
    .command('book')
    .description('book a payment that the provider has but the books do not')
    .argument('<id>', 'as listed by payment unbooked')
    .option('--account <id>', 'account that paid it, if the provider does not know')
    .action(async (id: string, { account }: { account?: string }, command: Command) => {
      const { client, json } = contextOf(command);
      const booked = await client.post('/unbooked-payments/{id}/book', {
        params: { id },
        body: { account_id: account },
      });
      if (json) printJson(booked);
      else print(booked);
    });
}

export function addPaymentDismiss(parent: Command): void {
  parent
    .command('dismiss')
    .description('leave such a payment out of the books')
    .argument('<id>', 'as listed by payment unbooked')
    .requiredOption('--reason <text>', 'reason, for example that it was booked manually')
    .action(async (id: string, { reason }: { reason: string }, command: Command) => {
      const { client, json } = contextOf(command);
      const dismissed = await client.post('/unbooked-payments/{id}/dismiss', {
        params: { id },
        body: { reason },
      });
      if (json) printJson(dismissed);
      else print(dismissed);
    });
}

function print(found: UnbookedPayment): void {
  printFields({
    id: found.id,
    status: found.status,
    account: found.account_id ?? 'unknown',
    amount: money(found.amount_minor, found.currency),
    payment: found.payment_id ?? 'none',
  });
}
