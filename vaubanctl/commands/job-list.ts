import { type Command, Option } from 'commander';
import type { Job } from '../api.ts';
import { contextOf } from '../context.ts';
import { printJson } from '../output.ts';
import { printJobs } from '../print-jobs.ts';

export function addJobList(parent: Command): void {
  parent
    .command('list')
    .description('list jobs of all accounts, newest first')
    .addOption(
      new Option(
        '--state <state>',
        'those that keep failing, all that have not ended, or those that were given up',
      )
        .choices(['stuck', 'active', 'abandoned'])
        .default('stuck'),
    )
    .action(async ({ state }: { state: string }, command: Command) => {
      const { client, json } = contextOf(command);
      const jobs = await client.list<Job>('/jobs', [['state', state]]);
      if (json) printJson(jobs);
      else printJobs(jobs);
    });
}
