import type { Queryable } from '../../db/database.ts';
import { findVm, type VmView } from '../../db/queries/vms.ts';
import type { Services } from '../../services.ts';

/** Longest wait of a long-poll: below the idle time-outs of common proxies. */
export const MAX_WAIT_SECONDS = 30;

interface Wait {
  db: Queryable;
  services: Services;
  seconds: number;
  hangUp: () => Promise<void>;
}

/**
 * Long-poll: resolves with the VM as soon as it has no active job, or as it is when the time is over. A VM
 * that is deleted meanwhile is undefined.
 */
export async function waitUntilIdle(
  vm: VmView,
  { db, services, seconds, hangUp }: Wait,
): Promise<VmView | undefined> {
  if (!vm.active_job_id || seconds === 0) return vm;
  const timeout = new AbortController();
  let over = false;
  const end = Promise.race([
    services.clock.sleep(seconds * 1000, timeout.signal).catch(() => {}),
    hangUp(),
  ]).then(() => {
    over = true;
  });
  try {
    for (;;) {
      // Registered before the state is read, so a change in between is not missed.
      const change = services.signals.nextChange(vm.id, end);
      const current = await findVm(db, vm.account_id, vm.id);
      if (!current?.active_job_id || over) return current;
      await change;
    }
  } finally {
    timeout.abort();
  }
}
