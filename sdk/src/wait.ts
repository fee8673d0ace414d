import type { Job, Vm } from './api.ts';
import { ApiError, JobFailedError } from './errors.ts';
import type { Fleet } from './fleet.ts';
import type { RequestOptions } from './options.ts';
import type { Transport } from './transport.ts';

/** As long as the service waits at most. */
const WAIT_SECONDS = 30;

/** For a wait whose progress is looked at: a line that moves, and still a third of what the waits of a client may ask. */
const PROGRESS_SECONDS = 2;

/** Options of a wait. It has no end by itself: give a signal, such as `AbortSignal.timeout(600_000)`. */
export interface WaitOptions extends Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxRetries'> {
  /** Called every two seconds with the job under way. For a person who looks at it: it takes more requests. */
  onProgress?: (job: Job) => void;
}

/**
 * Waits until a VM has no job. The service is asked to wait, not asked again and again; a fleet is looked at in its list;
 * and all waits of a client share its pace, so that they stay within the limits.
 */
export async function waitUntilIdle(fleet: Fleet, vmId: string, options: WaitOptions = {}): Promise<Vm> {
  if (options.onProgress) return ask(fleet, vmId, options);
  const vm = (await fleet.alone(() => ask(fleet, vmId, options))) || (await fleet.untilIdle(vmId, options));
  // One that the list does not have is gone, which its own answer says.
  return vm ?? ask(fleet, vmId, options);
}

async function ask({ transport }: Fleet, vmId: string, { onProgress, ...options }: WaitOptions): Promise<Vm> {
  const seconds = onProgress ? PROGRESS_SECONDS : WAIT_SECONDS;
  for (;;) {
    const { json } = await transport.send({
      operation: 'getVm',
      method: 'GET',
      target: `/v1/vm/${encodeURIComponent(vmId)}?wait_seconds=${seconds}`,
      kind: 'read',
      options: { ...options, isWaiter: true },
      waitMs: seconds * 1000,
    });
    const { data: vm } = json as { data: Vm };
    if (vm.active_job === null) return vm;
    onProgress?.(vm.active_job);
  }
}

/**
 * Waits for the end of a job, such as that of a reply, and answers with its VM; undefined where the job has deleted it.
 * Throws a `JobFailedError` where the job has failed or was canceled.
 */
export async function waitForJob(
  fleet: Fleet,
  { id, kind, vm_id }: Pick<Job, 'id' | 'kind' | 'vm_id'>,
  options: WaitOptions = {},
): Promise<Vm | undefined> {
  const vm = await waitUntilIdle(fleet, vm_id, options).catch((error: unknown) => {
    if (kind === 'delete' && error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  });
  const last = vm?.last_job;
  const job = last?.id === id ? last : vm && (await findJob(fleet.transport, vm_id, id, options));
  if (job && job.status !== 'succeeded') throw new JobFailedError(job);
  return vm;
}

/** A job that another has followed since. */
async function findJob(
  transport: Transport,
  vmId: string,
  jobId: string,
  { onProgress: _, ...options }: WaitOptions,
): Promise<Job | undefined> {
  const target = `/v1/vm/${encodeURIComponent(vmId)}/jobs?status=all&limit=100`;
  const call = { operation: 'listJobs', method: 'GET', target, kind: 'list', options } as const;
  const { data } = (await transport.send(call)).json as { data: Job[] };
  return data.find(({ id }) => id === jobId);
}
