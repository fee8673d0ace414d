import type { Command } from 'commander';
import { confirmAmount } from '../confirm.ts';
import { KEY } from '../option-values.ts';
import { type BookingOptions, book } from '../print-payment.ts';

export function addAccountCredit(parent: Command): void {
  parent
    .command('credit')
    .description("book a received payment to an account's wallet")
    .argument('<account>', 'id of the account, acc_…')
    .argument('<amount>', 'such as 50 or 49.90, in the currency of the catalog')
    .option('--reference <text>', 'unique reference of the payment; refused if used again')
    .option('--method <word>', 'payment method, such as bank_transfer (default: manual)')
    .option(...KEY)
    .option('--yes', 'do not ask for confirmation of a large amount')
    .addHelpText(
      'after',
      `
Examples:
  $ vaubanctl account credit acc_… 50.00 --method bank_transfer --reference "transfer 4711"`,
    )
    .action(async (id: string, amount: string, options: BookingOptions, command: Command) => {
      await confirmAmount('Credit', amount, id, options.yes);
      await book(command, 'credits', id, amount, options);
    });
}
