import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printOpsKey } from '../print-ops-key.ts';

export function addOpsKeyRotate(parent: Command): void {
  parent
    .command('rotate')
    .description(
      'make another pair: new VMs get it at once, running ones within minutes, others when they run',
    )
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const key = await client.post('/ops-key/rotate');
      if (json) printJson(key);
      else printOpsKey(key);
    });
}
