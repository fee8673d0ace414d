import type { ComputeDriver, GuestEvent } from '../../compute/driver.ts';
import type { Database } from '../../db/database.ts';
import { systemFindVm, updateVm, type VmChange } from '../../db/queries/vms/vms.ts';
import type { Signals } from '../../db/signals.ts';
import { recordGuestEvent } from '../../domain/vms/events.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Logger } from '../../platform/logging.ts';
import type { GuestReconciler } from './reconcile-guests.ts';

interface WatchServices {
  clock: Clock;
  compute: ComputeDriver;
  db: Database;
  guests: GuestReconciler;
  logger: Logger;
  signals: Signals;
}

/**
 * Events of guests that powered off without a job, and the resulting wanted power: someone who powers a guest off from
 * the inside wants it off, while a crashed guest should run. No other event changes the VM.
 */
const OFF_AFTER: { [type in GuestEvent['type']]?: VmChange } = {
  'guest.powered_off': { wanted_power: 'off' },
  'guest.crashed': {},
};

/** Records the events that guests report, each once, and updates the VM's state. Returns the stop function. */
export function watchGuests(services: WatchServices): () => void {
  return services.compute.watch((event) => {
    record(services, event).catch((error) => {
      services.logger.error({ err: error, vm_id: event.id }, 'guest event not recorded');
    });
  });
}

function record(services: WatchServices, event: GuestEvent): Promise<void> {
  return services.db.transaction(async (tx) => {
    const vm = await systemFindVm(tx, event.id, true);
    if (!vm || vm.deleted_at) return;
    const subject = { account_id: vm.account_id, vm_id: vm.id };
    const metadata = {
      at: event.at.toISOString(),
      ...(event.waitedFor && { waited_for: event.waitedFor }),
      ...(event.consoleLog && { console_log: event.consoleLog }),
    };
    const text = { type: event.type, message: event.message, metadata };
    const fresh = await recordGuestEvent(tx, services.clock, subject, event.level, text, event.key);
    if (!fresh) return;
    // One guest fewer is booting, so the next that should run may start.
    if (event.type === 'guest.ready' || event.waitedFor) tx.afterCommit(() => services.guests.kick());
    const wanted = OFF_AFTER[event.type];
    if (!wanted) return;
    // While a job runs, its end decides the state.
    const isOff = !vm.active_job_id && vm.status === 'running';
    const change: VmChange = { ...wanted, ...(isOff && { status: 'stopped' }) };
    if (Object.keys(change).length > 0) await updateVm(tx, vm.id, change, services.clock.now());
    if (isOff) await services.signals.vmChanged(tx, vm.id);
    tx.afterCommit(() => services.guests.kick());
  });
}
