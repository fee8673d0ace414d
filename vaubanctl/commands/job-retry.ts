import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';

export function addJobRetry(parent: Command): void {
  parent
    .command('retry')
    .description('try a job that keeps failing again at once, and count its failures anew')
    .argument('<job>', 'id of the job, job_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const job = await client.post('/jobs/{id}/retry', { params: { id } });
      if (json) printJson(job);
      else console.log(`Job ${job.id} (${job.kind} of ${job.vm_id}) will be tried within seconds.`);
    });
}
