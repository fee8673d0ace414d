import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addAccountClose(parent: Command): void {
  parent
    .command('close')
    .description('close an account permanently; it must have neither VMs nor money')
    .argument('<account>', 'id of the account, acc_…')
    .option('--yes', 'do not ask for confirmation')
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm(`Close ${id} permanently, and revoke its keys?`, yes);
      const account = await client.post('/accounts/{id}/close', { params: { id } });
      if (json) return printJson(account);
      print(`${account.id} (${account.name}) is closed.`);
    });
}
