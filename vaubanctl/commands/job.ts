import { Option } from 'commander';
import type { Job } from '../../shared/api/operator.ts';
import { group, plain } from '../command.ts';
import { instant, print, printFields, printTable } from '../output.ts';

const JOB = ['<job>', 'id of the job, job_…'] as const;

const list = plain('list', 'listJobs', {
  about: 'list jobs of all accounts, newest first',
  options: {
    state: new Option('--state <state>', 'jobs that keep failing, all unfinished jobs, or abandoned jobs')
      .choices(['stuck', 'active', 'abandoned'])
      .default('stuck'),
  },
  print: (jobs) =>
    printTable(
      ['ID', 'KIND', 'VM', 'ACCOUNT', 'STATE', 'ATTEMPTS', 'NEXT ATTEMPT', 'ERROR'],
      jobs.map((job) => [
        job.id,
        job.kind,
        job.vm_id,
        job.account_id,
        stateOf(job),
        String(job.attempts),
        nextAttempt(job),
        job.error?.code ?? 'none',
      ]),
    ),
});

const show = plain('show', 'getJob', {
  about: 'show a job with its progress and its error',
  args: { id: JOB },
  print: (job) =>
    printFields({
      id: job.id,
      kind: job.kind,
      vm: job.vm_id,
      account: job.account_id,
      state: stateOf(job),
      step: String(job.step),
      attempts: String(job.attempts),
      'next attempt': nextAttempt(job),
      error: job.error ? `${job.error.message} (${job.error.code})` : 'none',
      created: instant(job.created_at),
      started: instant(job.started_at),
      finished: instant(job.finished_at),
    }),
});

const retry = plain('retry', 'retryJob', {
  about: 'retry a failing job at once and reset its failure count',
  args: { id: JOB },
  print: ({ id, kind, vm_id }) => print(`Job ${id} (${kind} of ${vm_id}) will be retried within seconds.`),
});

const abandon = plain('abandon', 'abandonJob', {
  about: 'abandon a job: it fails, the amount it holds is released, and its VM is put in the state error',
  args: { id: JOB },
  question: ({ id }) => `Abandon ${id} permanently?`,
  help: 'Parts of the VM may remain on the compute engine; deleting the VM removes them.',
  print: ({ id, kind, vm_id }) => print(`Job ${id} (${kind} of ${vm_id}) was abandoned.`),
});

function stateOf({ status, undoing, abandoned }: Job): string {
  if (abandoned) return 'abandoned';
  return status === 'running' && undoing ? 'undoing' : status;
}

function nextAttempt({ finished_at, owned, next_attempt_at }: Job): string {
  if (finished_at !== null) return 'never';
  if (owned) return 'under way';
  return next_attempt_at === null ? 'at once' : instant(next_attempt_at);
}

export const job = group('job', 'jobs of VMs', list, show, retry, abandon);
