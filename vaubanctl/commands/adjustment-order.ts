import type { Command } from 'commander';
import { KEY } from '../option-values.ts';
import { makeAdjustment } from '../print-adjustments.ts';

const ORDER = ['<order>', 'id of the order, ord_…'] as const;
const REASON = ['--reason <text>', 'reason; visible to the customer, also on the credit note'] as const;

interface Options {
  amount?: string;
  reason: string;
  key?: string;
}

export function addAdjustmentRefund(parent: Command): void {
  parent
    .command('refund')
    .description('refund a charge or a part of it, at the tax rate of the sale')
    .argument(...ORDER)
    .option('--amount <amount>', 'amount including tax (default: the remaining amount)')
    .requiredOption(...REASON)
    .option(...KEY)
    .addHelpText(
      'after',
      `
A refund never exceeds the amount paid minus all previous refunds by corrections, changes of the VM and its deletion. The VM
stays paid for; the refunded part of its current period is not refunded again when it is deleted.`,
    )
    .action(async (id: string, { amount, reason, key }: Options, command: Command) => {
      const body = { amount, reason, key };
      await makeAdjustment(command, (client) => client.post('/orders/{id}/refund', { params: { id }, body }));
    });
}

export function addAdjustmentVoid(parent: Command): void {
  parent
    .command('void')
    .description('undo the rest of a charge, or a correction that credited money')
    .argument(...ORDER)
    .requiredOption(...REASON)
    .option(...KEY)
    .addHelpText(
      'after',
      `
Debits a credit, a refund or an SLA credit again; refused if the wallet does not cover it.`,
    )
    .action(async (id: string, { reason, key }: Options, command: Command) => {
      const body = { reason, key };
      await makeAdjustment(command, (client) => client.post('/orders/{id}/void', { params: { id }, body }));
    });
}
