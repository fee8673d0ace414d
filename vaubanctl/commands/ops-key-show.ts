import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printOpsKey } from '../print-ops-key.ts';

export function addOpsKeyShow(parent: Command): void {
  parent
    .command('show')
    .description('show the fingerprints, and how many VMs still have a previous key')
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const key = await client.get('/ops-key');
      if (json) printJson(key);
      else printOpsKey(key);
    });
}
