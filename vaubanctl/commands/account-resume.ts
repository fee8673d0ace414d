import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addAccountResume(parent: Command): void {
  parent
    .command('resume')
    .description('end the suspension of an account, so that its keys have all their permissions again')
    .argument('<account>', 'id of the account, acc_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const account = await client.post('/accounts/{id}/resume', { params: { id } });
      if (json) return printJson(account);
      print(
        `${account.id} (${account.name}) is active. VMs that were stopped stay off until they are started.`,
      );
    });
}
