import type { Command } from 'commander';
import { confirmAmount } from '../confirm.ts';
import { KEY } from '../option-values.ts';
import { makeAdjustment } from '../print-adjustments.ts';

interface Options {
  reason: string;
  vm?: string;
  key?: string;
  yes?: boolean;
}

const KINDS = [
  {
    type: 'credit',
    verb: 'Credit',
    what: 'credit an account independently of a sale, for example as goodwill',
  },
  { type: 'debit', verb: 'Debit', what: 'debit an account for something that was not charged' },
] as const;

export function addAdjustmentCreditAndDebit(parent: Command): void {
  for (const { type, verb, what } of KINDS) {
    parent
      .command(type)
      .description(what)
      .argument('<account>', 'id of the account, acc_…')
      .argument('<amount>', 'tax included, such as 5 or 4.90, in the currency of the catalog')
      .requiredOption('--reason <text>', 'reason; visible to the customer, also on the invoice')
      .option('--vm <vm>', 'the VM concerned')
      .option(...KEY)
      .option('--yes', 'do not ask for confirmation of a large amount')
      .action(async (id: string, amount: string, options: Options, command: Command) => {
        const { reason, vm, key, yes } = options;
        await confirmAmount(verb, amount, id, yes);
        const body = { type, amount, vm_id: vm, reason, key };
        await makeAdjustment(command, (client) =>
          client.post('/accounts/{id}/adjustments', { params: { id }, body }),
        );
      });
  }
}
