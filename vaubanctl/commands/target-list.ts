import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printTargets } from '../print-targets.ts';

export function addTargetList(parent: Command): void {
  parent
    .command('list')
    .description('list the targets of a tenant, or of all, newest first')
    .argument('[tenant]', 'id of the tenant, ten_…')
    .action(async (id: string | undefined, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const targets = id
        ? await client.list('/tenants/{id}/targets', { params: { id } })
        : await client.list('/targets');
      if (json) printJson(targets);
      else printTargets(targets);
    });
}
