import type { Queryable } from '../../../db/database.ts';
import { findVm, type VmView } from '../../../db/queries/vms/vms.ts';
import type { EndpointServices } from '../../../http/services.ts';

/** Longest wait of a long poll: below the idle timeouts of common proxies. */
export const MAX_WAIT_SECONDS = 30;

interface Wait {
  db: Queryable;
  services: EndpointServices;
  seconds: number;
  hangUp: () => AbortSignal;
}

/**
 * Long poll: resolves with the VM as soon as it has no active job, or with its state when the time is up. Resolves to
 * undefined if the VM is deleted in the meantime.
 */
export async function waitUntilIdle(
  vm: VmView,
  { db, services, seconds, hangUp }: Wait,
): Promise<VmView | undefined> {
  if (!vm.active_job_id || seconds === 0) return vm;
  const over = new AbortController();
  const end = () => over.abort();
  const gone = hangUp();
  if (gone.aborted) return vm;
  gone.addEventListener('abort', end);
  services.clock.sleep(seconds * 1000, over.signal).then(end, () => {});
  try {
    for (;;) {
      // Registered before the state is read, so that a change in between is not missed.
      const change = services.signals.nextChange(vm.id, over.signal);
      const current = await findVm(db, vm.account_id, vm.id);
      if (!current?.active_job_id || over.signal.aborted) return current;
      await change;
    }
  } finally {
    gone.removeEventListener('abort', end);
    end();
  }
}
