import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addOrphanRemove(parent: Command): void {
  parent
    .command('remove')
    .description('stop a guest that belongs to no VM, and delete its disk and snapshots')
    .argument('<guest>', 'id of the guest, as `vaubanctl orphan list` shows it')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
This cannot be undone, and the guest may contain the last copy of a customer's data. Its addresses can be sold again after a rest period.`,
    )
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm(`Delete the guest ${id} with its disk, permanently?`, yes);
      const orphan = await client.post('/orphans/{id}/remove', { params: { id } });
      if (json) printJson(orphan);
      else print(`The guest ${orphan.id} was removed.`);
    });
}
