import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { print, printJson } from '../output.ts';

export function addJobRetry(parent: Command): void {
  parent
    .command('retry')
    .description('retry a failing job at once and reset its failure count')
    .argument('<job>', 'id of the job, job_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const job = await client.post('/jobs/{id}/retry', { params: { id } });
      if (json) printJson(job);
      else print(`Job ${job.id} (${job.kind} of ${job.vm_id}) will be retried within seconds.`);
    });
}
