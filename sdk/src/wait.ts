import type { Job, Vm } from './api.ts';
import { ApiError, JobFailedError } from './errors.ts';
import type { Fleet } from './fleet.ts';
import type { RequestOptions } from './options.ts';
import type { Transport } from './transport.ts';

/** The longest wait that the service accepts. */
const WAIT_SECONDS = 30;

/**
 * For waits with a progress callback: frequent enough for a progress line, and a third of the requests that a client's
 * waits may send.
 */
const PROGRESS_SECONDS = 2;

/** Options of a wait. A wait has no time limit: pass a signal, such as `AbortSignal.timeout(600_000)`. */
export interface WaitOptions extends Pick<RequestOptions, 'signal' | 'timeoutMs' | 'maxRetries'> {
  /** Called every two seconds with the active job. Only for a person who watches it: it takes more requests. */
  onProgress?: (job: Job) => void;
}

/**
 * Waits until a VM has no job. It asks the service to hold the reply rather than polling. Many waits share the list of
 * VMs, and all waits of a client share its pace, to stay within the rate limit.
 */
export async function waitUntilIdle(fleet: Fleet, vmId: string, options: WaitOptions = {}): Promise<Vm> {
  if (options.onProgress) return ask(fleet, vmId, options);
  const vm = (await fleet.alone(() => ask(fleet, vmId, options))) || (await fleet.untilIdle(vmId, options));
  // A VM that the list does not contain is gone; its own endpoint returns the right error.
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
 * Waits for the end of a job, such as that of a reply. Returns the VM, or undefined if the job deleted it. Throws a
 * `JobFailedError` if the job failed or was canceled.
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

/** Returns a job that has been followed by another one since. */
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
