import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printKeys } from '../print-keys.ts';

export function addKeyList(parent: Command): void {
  parent
    .command('list')
    .description('list the keys of an account, including revoked and expired ones, newest first')
    .argument('<account>', 'id of the account, acc_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const keys = await client.get('/accounts/{id}/keys', { params: { id } });
      if (json) printJson(keys);
      else printKeys(keys);
    });
}
