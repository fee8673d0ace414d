import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';
import { printAccount } from '../print-account.ts';
import { printKeys } from '../print-keys.ts';

export function addAccountShow(parent: Command): void {
  parent
    .command('show')
    .description('show an account with its wallet, limits and keys')
    .argument('<account>', 'id of the account, acc_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const account = await client.get('/accounts/{id}', { params: { id } });
      if (json) return printJson(account);
      printAccount(account);
      if (account.keys.length === 0) return;
      print();
      printKeys(account.keys);
    });
}
