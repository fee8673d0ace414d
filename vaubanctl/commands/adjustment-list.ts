import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printAdjustments } from '../print-adjustments.ts';

export function addAdjustmentList(parent: Command): void {
  parent
    .command('list')
    .description('corrections of an account with reason and operator, newest first')
    .argument('<account>', 'id of the account, acc_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const made = await client.list('/accounts/{id}/adjustments', { params: { id } });
      if (json) printJson(made);
      else printAdjustments(made);
    });
}
