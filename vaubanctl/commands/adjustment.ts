import type { Adjustment, CreditedOutage, MadeAdjustment } from '../../shared/api/operator.ts';
import { type Add, group, plain, required } from '../command.ts';
import { LARGE_AMOUNT, largeAmount } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { ACCOUNT, KEY } from '../option-values.ts';
import { instant, money, printFields, printJson, printTable } from '../output.ts';
import { outageFields } from './outage.ts';

const ORDER = ['<order>', 'id of the order, ord_…'] as const;
const REASON = ['--reason <text>', 'reason; visible to the customer, also on the credit note'] as const;

const creditOrDebit = (type: 'credit' | 'debit', verb: string, about: string) =>
  plain(type, 'makeAdjustment', {
    about,
    args: {
      id: ACCOUNT,
      amount: ['<amount>', 'tax included, such as 5 or 4.90, in the currency of the catalog'],
    },
    options: {
      reason: required('--reason <text>', 'reason; visible to the customer, also on the invoice'),
      vm_id: ['--vm <vm>', 'the VM concerned'],
      key: KEY,
    },
    fixed: { type },
    question: ({ amount, id }) => largeAmount(verb, amount!, id),
    yes: LARGE_AMOUNT,
    print,
  });

const refund = plain('refund', 'refundOrder', {
  about: 'refund a charge or a part of it, at the tax rate of the sale',
  args: { id: ORDER },
  options: {
    amount: ['--amount <amount>', 'amount including tax (default: the remaining amount)'],
    reason: required(...REASON),
    key: KEY,
  },
  help: `A refund never exceeds the amount paid minus all previous refunds by corrections, changes of the VM and its deletion. The VM
stays paid for; the refunded part of its current period is not refunded again when it is deleted.`,
  print,
});

const voidOrder = plain('void', 'voidOrder', {
  about: 'undo the rest of a charge, or a correction that credited money',
  args: { id: ORDER },
  options: { reason: required(...REASON), key: KEY },
  help: 'Debits a credit, a refund or an SLA credit again; refused if the wallet does not cover it.',
  print,
});

const sla: Add = (parent) => {
  parent
    .command('sla')
    .description('credit an outage to each affected VM, by the rule of the catalog')
    .requiredOption('--outage <outage>', 'its id, out_…')
    .addHelpText(
      'after',
      `
Each VM is credited once per outage, however often this is called. If interrupted, call it again to continue.`,
    )
    .action(async ({ outage: id }: { outage: string }, command) => {
      const { client, json } = contextOf(command);
      let outage: CreditedOutage;
      do outage = await client.call('creditOutage', { id });
      while (outage.status !== 'credited');
      if (json) return printJson(outage);
      printFields({
        ...outageFields(outage),
        vms: String(outage.credited),
        credited: money(outage.credited_minor, outage.currency),
      });
    });
};

const list = plain('list', 'listAdjustments', {
  about: 'corrections of an account with reason and operator, newest first',
  args: { id: ACCOUNT },
  print: (adjustments: Adjustment[]) =>
    printTable(
      ['AT', 'ORDER', 'TYPE', 'AMOUNT>', 'VM', 'CORRECTS', 'WHO', 'REASON'],
      adjustments.map((made) => [
        instant(made.created_at),
        made.id,
        made.type,
        money(made.amount_minor, made.currency),
        made.vm_id ?? '-',
        made.corrects_order_id ?? made.outage_id ?? '-',
        made.actor,
        made.reason,
      ]),
    ),
});

/** Prints a correction with the resulting balance. */
function print(made: MadeAdjustment): void {
  printFields({
    order: made.id,
    type: made.type,
    account: made.account_id,
    vm: made.vm_id ?? 'none',
    amount: money(made.amount_minor, made.currency),
    corrects: made.corrects_order_id ?? 'no order',
    available: money(made.wallet.available_minor, made.currency),
  });
}

export const adjustment = group(
  'adjustment',
  'corrections of charges and refunds',
  creditOrDebit('credit', 'Credit', 'credit an account independently of a sale, for example as goodwill'),
  creditOrDebit('debit', 'Debit', 'debit an account for something that was not charged'),
  refund,
  voidOrder,
  sla,
  list,
);
