import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { instant, print, printJson } from '../output.ts';

export function addVmRestore(parent: Command): void {
  parent
    .command('restore')
    .description("restore a customer's VM to one of its snapshots; its events show this to the customer")
    .argument('<vm>', 'id of the VM, vm_…')
    .argument('<snapshot>', 'id of the snapshot, snap_…, as `vaubanctl vm show` lists it')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
All data on its disk is lost, except for data in snapshots; all snapshots stay. A running VM is shut down and started
again. If the restore fails, the VM stays as it was.`,
    )
    .action(async (id: string, snapshotId: string, { yes }: { yes?: boolean }, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm(`Replace all data on the disk of ${id} with ${snapshotId}?`, yes);
      const restore = await client.post('/vms/{id}/restore', {
        params: { id },
        body: {
          snapshot_id: snapshotId,
        },
      });
      if (json) return printJson(restore);
      const { name, created_at } = restore.snapshot;
      print(`${id} is being restored to ${name} of ${instant(created_at)} by ${restore.job_id}.`);
    });
}
