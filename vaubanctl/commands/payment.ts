import { type Command, Option } from 'commander';
import { confirmAmount } from '../confirm.ts';
import { contextOf } from '../context.ts';
import type { Lists, TopUp } from '../operator-api.ts';
import { instant, money, printFields, printJson, printTable } from '../output.ts';

type Query = Lists['/top-ups']['query'];

export function addPaymentList(parent: Command): void {
  parent
    .command('list')
    .description('list top-ups of customers, newest first')
    .addOption(
      new Option('--status <status>', 'only those').choices([
        'pending',
        'processing',
        'succeeded',
        'failed',
        'expired',
        'canceled',
      ]),
    )
    .option('--provider <word>', 'only top-ups with this method, such as bank_transfer')
    .action(async ({ status, provider }: Query, command: Command) => {
      const { client, json } = contextOf(command);
      const topUps = await client.list('/top-ups', { query: { status, provider } });
      if (json) return printJson(topUps);
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
      );
    });
}

export function addPaymentConfirm(parent: Command): void {
  parent
    .command('confirm')
    .description('confirm a bank transfer that has arrived')
    .argument('<reference>', 'reference of the transfer, such as TU-7K3M-9QXD')
    .argument('<amount>', 'amount received, such as 50 or 49.90, in the currency of the catalog')
    .option('--yes', 'do not ask for confirmation of a large amount')
    .addHelpText(
      'after',
      `
If a different amount arrived, book it with account credit under the same reference.

Examples:
  $ vaubanctl payment confirm TU-7K3M-9QXD 50.00`,
    )
    .action(async (id: string, amount: string, { yes }: { yes?: boolean }, command: Command) => {
      await confirmAmount('Confirm', amount, id, yes);
      const { client, json } = contextOf(command);
      const topUp = await client.post('/top-ups/{id}/confirm', { params: { id }, body: { amount } });
      if (json) printJson(topUp);
      else print(topUp);
    });
}

export function addPaymentRefund(parent: Command): void {
  parent
    .command('refund')
    .description('refund a top-up to its payment method')
    .argument('<top-up>', 'its id or reference')
    .argument('[amount]', 'such as 50 or 49.90 (default: the remaining amount)')
    .requiredOption('--reason <text>', 'reason; visible to the customer')
    .option('--yes', 'do not ask for confirmation of a large amount')
    .action(
      async (
        id: string,
        amount: string | undefined,
        { reason, yes }: { reason: string; yes?: boolean },
        command: Command,
      ) => {
        if (amount !== undefined) await confirmAmount('Refund', amount, id, yes);
        const { client, json } = contextOf(command);
        const refund = await client.post('/top-ups/{id}/refunds', {
          params: { id },
          body: { amount, reason },
        });
        if (json) return printJson(refund);
        printFields({
          refund: refund.id,
          'top-up': refund.top_up_id,
          account: refund.account_id,
          amount: String(refund.amount_minor),
          status: refund.status,
          error: refund.error ?? 'none',
        });
      },
    );
}

function print(topUp: TopUp): void {
  printFields({
    'top-up': topUp.id,
    account: topUp.account_id,
    amount: money(topUp.amount_minor, topUp.currency),
    status: topUp.status,
    reference: topUp.reference,
    payment: topUp.payment_id ?? 'none',
  });
}
