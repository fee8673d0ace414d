import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addClusterRemove(parent: Command): void {
  parent
    .command('remove')
    .description('remove the cluster that was added for a region, if it has no VMs')
    .argument('<region>', "code of the catalog's")
    .option('--yes', 'do not ask for confirmation')
    .action(async (region: string, { yes }: { yes?: boolean }, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm(`Remove the cluster of ${region}?`, yes);
      const removed = await client.post('/clusters/{region}/remove', { params: { region } });
      if (json) printJson(removed);
      else print(`The cluster of ${removed.region} was removed.`);
    });
}
