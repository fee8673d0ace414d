import type { Command } from 'commander';
import { KEY } from '../option-values.ts';
import { makeAdjustment } from '../print-adjustments.ts';

const ORDER = ['<order>', 'id of the order, ord_…'] as const;
const REASON = ['--reason <text>', 'why; the customer reads it, on the credit note too'] as const;

interface Options {
  amount?: string;
  reason: string;
  key?: string;
}

export function addAdjustmentRefund(parent: Command): void {
  parent
    .command('refund')
    .description('give back a charge, or a part of it, at the tax of the sale')
    .argument(...ORDER)
    .option('--amount <amount>', 'how much, tax included (default: all that is left of it)')
    .requiredOption(...REASON)
    .option(...KEY)
    .addHelpText(
      'after',
      `
Never more than was paid, less what corrections, changes of the VM and its deletion have given back of it. The VM is paid
for as before; what is refunded of its running period is not given back again when it is deleted.`,
    )
    .action(async (id: string, { amount, reason, key }: Options, command: Command) => {
      const body = { amount, reason, key };
      await makeAdjustment(command, (client) => client.post('/orders/{id}/refund', { params: { id }, body }));
    });
}

export function addAdjustmentVoid(parent: Command): void {
  parent
    .command('void')
    .description('undo what is left of a charge, or a correction that gave money')
    .argument(...ORDER)
    .requiredOption(...REASON)
    .option(...KEY)
    .addHelpText(
      'after',
      `
A credit, a refund or an SLA credit is taken back: refused where the wallet does not cover it.`,
    )
    .action(async (id: string, { reason, key }: Options, command: Command) => {
      const body = { reason, key };
      await makeAdjustment(command, (client) => client.post('/orders/{id}/void', { params: { id }, body }));
    });
}
