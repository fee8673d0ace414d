import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printOpsKey } from '../print-ops-key.ts';

export function addOpsKeyRotate(parent: Command): void {
  parent
    .command('rotate')
    .description(
      'create a new key pair: new VMs get it at once, running VMs within minutes, others when they start',
    )
    .action(async (_options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const key = await client.post('/ops-key/rotate');
      if (json) printJson(key);
      else printOpsKey(key);
    });
}
