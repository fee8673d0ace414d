import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printClusters } from '../print-clusters.ts';

export function addClusterList(parent: Command): void {
  parent
    .command('list')
    .description('list the clusters that VMs run on')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const clusters = await client.get('/clusters');
      if (json) printJson(clusters);
      else printClusters(clusters);
    });
}
