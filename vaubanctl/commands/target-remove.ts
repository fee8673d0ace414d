import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addTargetRemove(parent: Command): void {
  parent
    .command('remove')
    .description('end the protection of an address and delete its rules')
    .argument('<target>', 'id of the target, tgt_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const removed = await client.post('/targets/{id}/remove', { params: { id } });
      if (json) printJson(removed);
      else print(`Target ${removed.id} was removed.`);
    });
}
