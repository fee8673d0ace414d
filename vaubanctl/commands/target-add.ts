import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import type { Target } from '../operator-api.ts';
import { printJson } from '../output.ts';
import { printTarget } from '../print-targets.ts';

export function addTargetAdd(parent: Command): void {
  parent
    .command('add')
    .description("protect an address of one of the account's VMs")
    .argument('<tenant>', 'id of the tenant, ten_…')
    .argument('<address>', 'IPv4 or IPv6 address')
    .option('--mode <mode>', 'always_on (the default), sensor (only detects) or off')
    .action(async (id: string, ip: string, { mode }: { mode?: Target['mode'] }, command: Command) => {
      const { client, json } = contextOf(command);
      const target = await client.post('/tenants/{id}/targets', { params: { id }, body: { ip, mode } });
      if (json) printJson(target);
      else printTarget(target);
    });
}
