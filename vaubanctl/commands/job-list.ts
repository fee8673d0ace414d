import { type Command, Option } from 'commander';
import { contextOf } from '../context.ts';
import type { Lists } from '../operator-api.ts';
import { printJson } from '../output.ts';
import { printJobs } from '../print-jobs.ts';

type JobState = Lists['/jobs']['query']['state'];

export function addJobList(parent: Command): void {
  parent
    .command('list')
    .description('list jobs of all accounts, newest first')
    .addOption(
      new Option('--state <state>', 'jobs that keep failing, all unfinished jobs, or abandoned jobs')
        .choices(['stuck', 'active', 'abandoned'])
        .default('stuck'),
    )
    .action(async ({ state }: { state: JobState }, command: Command) => {
      const { client, json } = contextOf(command);
      const jobs = await client.list('/jobs', { query: { state } });
      if (json) printJson(jobs);
      else printJobs(jobs);
    });
}
