import type { Job } from './operator-api.ts';
import { instant, printFields, printTable } from './output.ts';

export function printJobs(jobs: Job[]): void {
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
  );
}

export function printJob(job: Job): void {
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
  });
}

function stateOf({ status, undoing, abandoned }: Job): string {
  if (abandoned) return 'given up';
  return status === 'running' && undoing ? 'undoing' : status;
}

function nextAttempt({ finished_at, owned, next_attempt_at }: Job): string {
  if (finished_at !== null) return 'never';
  if (owned) return 'under way';
  return next_attempt_at === null ? 'at once' : instant(next_attempt_at);
}
