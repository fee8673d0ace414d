import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addClusterRemove(parent: Command): void {
  parent
    .command('remove')
    .description('forget the cluster that was added for a region, while no VM is on it')
    .argument('<region>', "code of the catalog's")
    .option('--yes', 'do not ask')
    .action(async (region: string, { yes }: { yes?: boolean }, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm(`Remove the cluster of ${region}?`, yes);
      const removed = await client.post('/clusters/{region}/remove', { params: { region } });
      if (json) printJson(removed);
      else print(`The cluster of ${removed.region} was removed.`);
    });
}
