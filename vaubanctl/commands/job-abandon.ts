import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addJobAbandon(parent: Command): void {
  parent
    .command('abandon')
    .description(
      'abandon a job: it fails, the amount it holds is released, and its VM is put in the state error',
    )
    .argument('<job>', 'id of the job, job_…')
    .option('--yes', 'do not ask for confirmation')
    .addHelpText(
      'after',
      `
Parts of the VM may remain on the compute engine; deleting the VM removes them.`,
    )
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm(`Abandon ${id} permanently?`, yes);
      const job = await client.post('/jobs/{id}/abandon', { params: { id } });
      if (json) printJson(job);
      else print(`Job ${job.id} (${job.kind} of ${job.vm_id}) was abandoned.`);
    });
}
