import { type ComputeDriver, ShutdownTimeoutError } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import { updateVm } from '../../db/queries/vms/vms.ts';
import type { Signals } from '../../db/signals.ts';
import { recordSystemEvent } from '../../domain/vms/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import { withLockedVm } from '../with-locked-vm.ts';
import type { GuestReconciler } from './reconcile-guests.ts';

interface DrainServices {
  clock: Clock;
  compute: ComputeDriver;
  db: Database;
  guests: GuestReconciler;
  logger: Logger;
  signals: Signals;
}

/** Guests shut down at the same time: each flushes its writes, and all share one disk. */
const AT_ONCE = 32;
/** The later rounds are for guests that jobs have started in the meantime. */
const ROUNDS = 3;

export interface Drained {
  /** Guests that shut down when asked. */
  shut_down: number;
  /** Guests that did not shut down, or could not be asked, and whose power was cut. */
  powered_off: number;
  /** Ids of guests that are still on. */
  left: string[];
}

/**
 * Shuts down all guests because their host is about to go down, and after `seconds` cuts the power of any that are
 * still on. The wanted power of their VMs stays, so that they start again with the host. `guests` starts no guest until
 * it is released or the service restarts.
 */
export async function drainHost(services: DrainServices, seconds: number): Promise<Drained> {
  const { clock, guests, logger } = services;
  await guests.hold();
  const deadline = clock.now().getTime() + seconds * 1_000;
  const drained: Drained = { shut_down: 0, powered_off: 0, left: await guestsOn(services) };
  for (let round = 0; round < ROUNDS && drained.left.length > 0; round++) {
    logger.warn({ guests: drained.left.length }, 'shutting guests down because their host is shutting down');
    const waiting = drained.left.values();
    const work = async () => {
      for (const id of waiting) {
        const outcome = await endGuest(services, id, deadline);
        if (outcome) drained[outcome]++;
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    drained.left = await guestsOn(services);
  }
  return drained;
}

async function guestsOn({ compute }: DrainServices): Promise<string[]> {
  const sights = await compute.list();
  return sights.filter(({ power }) => power !== 'off').map(({ id }) => id);
}

/** Never rejects: a guest that cannot be shut down does not hold up the others. */
async function endGuest(services: DrainServices, id: string, deadline: number) {
  try {
    const outcome = await switchOff(services, id, deadline);
    await noteOff(services, id);
    return outcome;
  } catch (error) {
    services.logger.error({ err: error, vm_id: id }, 'guest not shut down before its host');
    return undefined;
  }
}

async function switchOff({ clock, compute, logger }: DrainServices, id: string, deadline: number) {
  try {
    const left = Math.ceil((deadline - clock.now().getTime()) / 1_000);
    if (left <= 0) throw new ShutdownTimeoutError(`no time is left for ${id} to power off`);
    await compute.shutdown(id, left);
    return 'shut_down';
  } catch (error) {
    logger.warn({ err: error, vm_id: id }, 'guest did not shut down; cutting its power');
    await compute.powerOff(id);
    return 'powered_off';
  }
}

/** If a job is changing the VM, that job sets its state. */
function noteOff({ db, clock, signals }: DrainServices, id: string): Promise<void> {
  return withLockedVm(db, id, async (tx, vm) => {
    if (vm.active_job_id || vm.status !== 'running') return;
    await updateVm(tx, id, { status: 'stopped' }, clock.now());
    const again = vm.wanted_power === 'on' ? ' It will be started again together with the host.' : '';
    const message = `The VM was shut down because its host is shutting down.${again}`;
    const subject = { account_id: vm.account_id, vm_id: id };
    await recordSystemEvent(tx, clock, subject, 'info', { type: 'vm.stopped', message });
    await signals.vmChanged(tx, id);
  });
}
