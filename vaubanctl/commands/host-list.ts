import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printHosts } from '../print-hosts.ts';

export function addHostList(parent: Command): void {
  parent
    .command('list')
    .description('list the hosts of VMs')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const hosts = await client.get('/hosts');
      if (json) printJson(hosts);
      else printHosts(hosts);
    });
}
