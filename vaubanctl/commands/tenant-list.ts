import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { instant, printJson, printTable } from '../output.ts';

export function addTenantList(parent: Command): void {
  parent
    .command('list')
    .description('list all DDoS Shield tenants, newest first')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const tenants = await client.list('/tenants');
      if (json) return printJson(tenants);
      printTable(
        ['ID', 'NAME', 'ACCOUNT', 'CREATED'],
        tenants.map(({ id, name, account_id, created_at }) => [id, name, account_id, instant(created_at)]),
      );
    });
}
