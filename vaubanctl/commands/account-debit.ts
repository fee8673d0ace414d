import type { Command } from 'commander';
import { confirmAmount } from '../confirm.ts';
import { KEY } from '../option-values.ts';
import { type BookingOptions, book } from '../print-payment.ts';

export function addAccountDebit(parent: Command): void {
  parent
    .command('debit')
    .description("book money that left an account's wallet, such as a recalled payment")
    .argument('<account>', 'id of the account, acc_…')
    .argument('<amount>', 'such as 50 or 49.90, in the currency of the catalog')
    .option('--reference <text>', 'unique reference of the payment; refused if used again')
    .option('--method <word>', 'payment method, such as chargeback (default: manual)')
    .option(...KEY)
    .option('--yes', 'do not ask for confirmation of a large amount')
    .addHelpText(
      'after',
      `
Refused if the wallet does not have this amount available.

Examples:
  $ vaubanctl account debit acc_… 50.00 --method chargeback --reference "recall of transfer 4711"`,
    )
    .action(async (id: string, amount: string, options: BookingOptions, command: Command) => {
      await confirmAmount('Debit', amount, id, options.yes);
      await book(command, 'debits', id, amount, options);
    });
}
