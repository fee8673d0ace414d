import type { ComputeDriver } from '../../compute/driver.ts';
import type { Database, Transaction } from '../../db/database.ts';
import type { RecordedVm } from '../../db/queries/vms/guest-states.ts';
import { settleReservation } from '../../db/queries/vms/reservations.ts';
import type { VmIdentity, VmPower } from '../../db/queries/vms/vm-parts.ts';
import { systemFindVm, updateVm, type VmChange, type VmRow } from '../../db/queries/vms/vms.ts';
import type { Signals } from '../../db/signals.ts';
import { reservationOf } from '../../domain/hosts/supply.ts';
import { type EventText, recordSystemEvent } from '../../domain/vms/events.ts';
import type { ForceStopInput } from '../../domain/vms/job-inputs.ts';
import type { JobPublisher } from '../../domain/vms/job-publisher.ts';
import { startSystemJob } from '../../domain/vms/start-job.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Finding } from './judge-guest.ts';

interface SettleServices {
  db: Database;
  clock: Clock;
  compute: ComputeDriver;
  queue: JobPublisher;
  signals: Signals;
}

/** Same as the default of the API's stop action. */
const STOP_TIMEOUT_SECONDS = 60;

interface Settlement {
  change?: VmChange;
  level?: 'info' | 'warning' | 'error';
  event?: EventText;
}

/**
 * Makes a VM show its guest's state, or stops a guest that must not run. Does nothing if the VM has changed since it
 * was compared. Returns whether anything was done.
 */
export async function settleGuest(
  services: SettleServices,
  seen: RecordedVm,
  finding: Finding,
): Promise<boolean> {
  // After a job was given up, the guest may differ in size from the one sold: that is left to the VM's owner or the
  // operator.
  if (seen.status === 'error' && finding !== 'missing' && !(await isWhole(services, seen))) return false;
  const { db, clock, signals } = services;
  return db.transaction(async (tx) => {
    const vm = await systemFindVm(tx, seen.id, true);
    if (!vm || !isAsSeen(vm, seen)) return false;
    if (finding === 'unwanted') return stopUnwantedGuest(services, tx, vm);
    const { change, level = 'info', event } = SETTLEMENTS[finding](vm);
    if (change) await updateVm(tx, vm.id, change, clock.now());
    // The guest has the size that was sold, so the capacity that an abandoned change reserved beyond it is released.
    if (change && vm.status === 'error' && finding !== 'missing')
      await settleReservation(tx, vm.id, reservationOf(vm));
    const subject = { account_id: vm.account_id, vm_id: vm.id };
    if (event) await recordSystemEvent(tx, clock, subject, level, event);
    await signals.vmChanged(tx, vm.id);
    return change !== undefined || event !== undefined;
  });
}

function isAsSeen(
  vm: VmPower & Pick<VmRow, 'last_job_id' | 'active_job_id' | 'deleted_at'>,
  seen: RecordedVm,
): boolean {
  const isSame = vm.status === seen.status && vm.last_job_id === seen.last_job_id;
  return isSame && !vm.deleted_at && !vm.active_job_id && vm.wanted_power === seen.wanted_power;
}

async function isWhole({ db, compute }: SettleServices, { id }: RecordedVm): Promise<boolean> {
  const [vm, guest] = [await systemFindVm(db, id), await compute.inspect(id)];
  if (!vm || !guest) return false;
  return guest.vcpu === vm.vcpu && guest.ramMb === vm.ram_mb && guest.diskGb >= vm.disk_gb;
}

const SETTLEMENTS: Record<Exclude<Finding, 'unwanted'>, (vm: VmPower) => Settlement> = {
  missing: ({ status }) =>
    // Power does not matter for a VM that is suspended or already shows the error.
    status === 'error' || status === 'suspended'
      ? {}
      : {
          change: { status: 'error' },
          level: 'error',
          event: {
            type: 'guest.warning',
            message: "The VM's guest is missing from its host. The operator has been notified.",
          },
        },
  unseen: () => ({
    level: 'warning',
    event: {
      type: 'guest.warning',
      message: "The service cannot reach the VM's guest at the moment. The last known state is shown.",
    },
  }),
  off: ({ status, wanted_power }) => {
    const change = { status: 'stopped' as const };
    if (status === 'error')
      return { change, event: { type: 'vm.stopped', message: 'The VM has recovered and is off.' } };
    if (wanted_power === 'off')
      return { change, event: { type: 'guest.powered_off', message: 'The guest powered itself off.' } };
    const event: EventText = { type: 'guest.crashed', message: 'The guest was found switched off.' };
    return { change, level: 'error', event };
  },
  on: ({ status }) => ({
    change: { status: 'running', wanted_power: 'on' },
    event: {
      type: 'vm.started',
      message: status === 'error' ? 'The VM has recovered and is running.' : 'The VM was found running.',
    },
  }),
};

/** Switches off a guest that must not run: gracefully, unless its VM is suspended. */
async function stopUnwantedGuest(
  services: SettleServices,
  tx: Transaction,
  vm: VmIdentity & Pick<VmRow, 'status' | 'suspended_at'>,
): Promise<boolean> {
  const start = { db: tx, services, now: services.clock.now() };
  const suspended = vm.status === 'suspended';
  const message = `The VM was found running although it was ${suspended ? 'suspended' : 'switched off'}.`;
  const subject = { account_id: vm.account_id, vm_id: vm.id };
  await recordSystemEvent(tx, services.clock, subject, 'warning', { type: 'guest.warning', message });
  const input: ForceStopInput = vm.suspended_at ? { suspend: true } : { debt: true };
  if (suspended) await startSystemJob(start, vm, { kind: 'force_stop', input });
  else await startSystemJob(start, vm, { kind: 'stop', input: { timeout_seconds: STOP_TIMEOUT_SECONDS } });
  return true;
}
