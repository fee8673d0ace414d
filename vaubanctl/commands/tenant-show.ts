import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { instant, print, printFields, printJson } from '../output.ts';
import { printTargets } from '../print-targets.ts';

export function addTenantShow(parent: Command): void {
  parent
    .command('show')
    .description('show a DDoS Shield tenant with its targets')
    .argument('<tenant>', 'id of the tenant, ten_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const tenant = await client.get('/tenants/{id}', { params: { id } });
      const targets = await client.list('/tenants/{id}/targets', { params: { id } });
      if (json) return printJson({ ...tenant, targets });
      const { name, account_id, created_at } = tenant;
      printFields({ id: tenant.id, name, account: account_id, created: instant(created_at) });
      if (targets.length === 0) return;
      print();
      printTargets(targets);
    });
}
