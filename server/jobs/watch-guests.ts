import type { GuestEvent } from '../compute/driver.ts';
import { systemFindVm, updateVm } from '../db/queries/vms.ts';
import { recordSystemEvent } from '../domain/vms/events.ts';
import type { VmStatus } from '../domain/vms/states.ts';
import type { Services } from '../services.ts';

/** What a guest that acts by itself makes of its VM; a warning or a reboot changes nothing. */
const STATUS_AFTER: { [type in GuestEvent['type']]?: VmStatus } = {
  'guest.powered_off': 'stopped',
  'guest.crashed': 'stopped',
};

/** Writes what guests do by themselves to the event log, once, and shows it in the state. Returns the stop function. */
export function watchGuests(services: Services): () => void {
  return services.compute.watch((event) => {
    record(services, event).catch((error) => {
      services.logger.error({ err: error, vm_id: event.id }, 'guest event not recorded');
    });
  });
}

function record(services: Services, event: GuestEvent): Promise<void> {
  return services.db.transaction(async (tx) => {
    const vm = await systemFindVm(tx, event.id, true);
    if (!vm || vm.deleted_at) return;
    const subject = { account_id: vm.account_id, vm_id: vm.id };
    const metadata = {
      at: event.at.toISOString(),
      ...(event.consoleLog && { console_log: event.consoleLog }),
    };
    const text = { type: event.type, message: event.message, metadata };
    const fresh = await recordSystemEvent(tx, services.clock, subject, event.level, text, event.key);
    const status = STATUS_AFTER[event.type];
    // While a job runs, its end decides the state.
    if (!fresh || !status || vm.active_job_id || vm.status !== 'running') return;
    await updateVm(tx, vm.id, { status }, services.clock.now());
    await services.signals.vmChanged(tx, vm.id);
  });
}
