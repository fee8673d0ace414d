import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { instant, print, printJson } from '../output.ts';

export function addVmRestore(parent: Command): void {
  parent
    .command('restore')
    .description("bring a customer's VM back to one of its snapshots; the customer reads so in its events")
    .argument('<vm>', 'id of the VM, vm_…')
    .argument('<snapshot>', 'id of the snapshot, snap_…, as `vaubanctl vm show` lists it')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
What is on its disk now is lost, unless a snapshot has it; all snapshots stay. A VM that runs is shut down for it and
started again. Where it fails, the VM is as it was.`,
    )
    .action(async (id: string, snapshotId: string, { yes }: { yes?: boolean }, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm(`Replace what is on the disk of ${id} by ${snapshotId}?`, yes);
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
