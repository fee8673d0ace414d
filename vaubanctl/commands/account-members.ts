import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { instant, printJson, printTable } from '../output.ts';

export function addAccountMembers(parent: Command): void {
  parent
    .command('members')
    .description('list the people who sign in to an account')
    .argument('<account>', 'id of the account, acc_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const members = await client.get('/accounts/{id}/members', { params: { id } });
      if (json) return printJson(members);
      printTable(
        ['EMAIL', 'NAME', 'ROLE', 'SINCE'],
        members.map(({ email, name, role, created_at }) => [email, name ?? '-', role, instant(created_at)]),
      );
    });
}
