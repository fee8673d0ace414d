import { type Command, Option } from 'commander';
import { confirmAmount } from '../confirm.ts';
import { contextOf } from '../context.ts';
import type { Lists, TopUp } from '../operator-api.ts';
import { instant, money, printFields, printJson, printTable } from '../output.ts';

type Query = Lists['/top-ups']['query'];

export function addPaymentList(parent: Command): void {
  parent
    .command('list')
    .description('list what customers top up, newest first')
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
    .option('--provider <word>', 'only those that are paid this way, such as bank_transfer')
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
    .argument('<reference>', 'what the transfer names, such as TU-7K3M-9QXD')
    .argument('<amount>', 'what arrived, such as 50 or 49.90, in the currency of the catalog')
    .option('--yes', 'do not ask about a large amount')
    .addHelpText(
      'after',
      `
Another amount than the customer meant to send is booked with account credit, under the same reference.

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
    .description('send money of a top-up back to where it came from')
    .argument('<top-up>', 'its id or reference')
    .argument('[amount]', 'such as 50 or 49.90; all that is left of it when absent')
    .requiredOption('--reason <text>', 'why; the customer reads it too')
    .option('--yes', 'do not ask about a large amount')
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
