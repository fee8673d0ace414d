import type { Command } from 'commander';
import type { Payment, Wallet } from '../api.ts';
import { contextOf } from '../context.ts';
import { money, printFields, printJson } from '../output.ts';

interface Options {
  reference?: string;
  method?: string;
}

export function addAccountCredit(parent: Command): void {
  parent
    .command('credit')
    .description("book money that came in to an account's wallet")
    .argument('<account>', 'id of the account, acc_…')
    .argument('<amount>', 'such as 50 or 49.90, in the currency of the catalog')
    .option(
      '--reference <text>',
      'what tells this payment from others; the same one is refused a second time',
    )
    .option('--method <word>', 'how it came, such as bank_transfer (default: manual)')
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl account credit acc_… 50.00 --method bank_transfer --reference "transfer 4711"`,
    )
    .action(async (id: string, amount: string, options: Options, command: Command) => {
      const { client, json } = contextOf(command);
      const { reference, method } = options;
      const path = `/accounts/${encodeURIComponent(id)}/credits`;
      const payment = await client.post<Payment & { wallet: Wallet }>(path, { amount, reference, method });
      if (json) return printJson(payment);
      printFields({
        payment: payment.id,
        amount: money(payment.amount_minor, payment.currency),
        method: payment.method,
        reference: payment.reference,
        available: money(payment.wallet.available_minor, payment.currency),
      });
    });
}
