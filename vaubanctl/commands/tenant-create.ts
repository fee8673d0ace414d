import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { instant, printFields, printJson } from '../output.ts';

export function addTenantCreate(parent: Command): void {
  parent
    .command('create')
    .description('create a DDoS Shield tenant without targets')
    .argument('<account>', 'id of the account, acc_…')
    .requiredOption('--name <name>', 'name of the tenant')
    .action(async (id: string, { name }: { name: string }, command: Command) => {
      const { client, json } = contextOf(command);
      const tenant = await client.post('/accounts/{id}/tenants', { params: { id }, body: { name } });
      if (json) return printJson(tenant);
      const { account_id, created_at } = tenant;
      printFields({ id: tenant.id, name, account: account_id, created: instant(created_at) });
    });
}
