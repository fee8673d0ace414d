import type { Command } from 'commander';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printJob } from '../print-jobs.ts';

export function addJobShow(parent: Command): void {
  parent
    .command('show')
    .description('show a job with its progress and its error')
    .argument('<job>', 'id of the job, job_…')
    .action(async (id: string, _options: object, command: Command) => {
      const { client, json } = contextOf(command);
      const job = await client.get('/jobs/{id}', { params: { id } });
      if (json) printJson(job);
      else printJob(job);
    });
}
