import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addImageRemove(parent: Command): void {
  parent
    .command('remove')
    .description(
      'remove the name of an image: no new VMs can be created from it, and existing VMs keep their disks',
    )
    .argument('<name>', 'name as listed')
    .action(async (name: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const removed = await client.post('/images/{name}/remove', { params: { name } });
      if (json) printJson(removed);
      else print(`Image ${removed.name} was removed; \`vaubanctl image collect\` frees what no VM needs.`);
    });
}
