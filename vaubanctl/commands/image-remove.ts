import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addImageRemove(parent: Command): void {
  parent
    .command('remove')
    .description(
      'take the name of an image away: no more VMs are made of it, and those that were keep their disks',
    )
    .argument('<name>', 'as it is listed')
    .action(async (name: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const removed = await client.post('/images/{name}/remove', { params: { name } });
      if (json) printJson(removed);
      else print(`Image ${removed.name} was removed; \`vaubanctl image collect\` frees what no VM needs.`);
    });
}
