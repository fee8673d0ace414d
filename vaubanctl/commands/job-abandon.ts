import type { Command } from 'commander';
import { confirm } from '../confirm.ts';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addJobAbandon(parent: Command): void {
  parent
    .command('abandon')
    .description('give a job up: it fails, what it held is released, its VM is in state error')
    .argument('<job>', 'id of the job, job_…')
    .option('--yes', 'do not ask')
    .addHelpText(
      'after',
      `
Something of the VM may be left on the compute engine; deleting the VM removes it.`,
    )
    .action(async (id: string, { yes }: { yes?: boolean }, command: Command) => {
      const { client, json } = contextOf(command);
      await confirm(`Give up ${id} permanently?`, yes);
      const job = await client.post('/jobs/{id}/abandon', { params: { id } });
      if (json) printJson(job);
      else print(`Job ${job.id} (${job.kind} of ${job.vm_id}) was given up.`);
    });
}
