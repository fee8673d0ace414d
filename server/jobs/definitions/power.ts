import type { JobRow } from '../../db/queries/service/jobs.ts';
import type { VmChange } from '../../db/queries/vms/vms.ts';
import { DEBT_SUSPENDED } from '../../domain/billing/debt-suspension.ts';
import { suspended, suspensionFailed } from '../../domain/billing/dunning-events.ts';
import { deletionAt } from '../../domain/billing/grace.ts';
import type { ForceStopInput, PowerInput } from '../../domain/vms/job-inputs.ts';
import { NOT_RESTARTED } from '../../domain/vms/restarts.ts';
import type { VmStatus } from '../../domain/vms/states.ts';
import type { JobContext, JobDefinition, Outcome, Step } from '../job.ts';
import { putOffDunning } from '../timers/dun-vm.ts';

const timeout = ({ job }: JobContext) => (job.input as unknown as PowerInput).timeout_seconds;

/** Defines a power job. It has nothing to undo: the VM shows whatever state its guest is really in. */
function powerJob(step: Step, done: (context: JobContext) => Outcome): JobDefinition {
  return {
    steps: [step],
    succeeded: async (_tx, context) => done(context),
    failed: async (_tx, { observed }) => ({ change: { status: observed, ...wantedAfterFailure(observed) } }),
  };
}

/**
 * After a failure, a guest that is running counts as wanted on: perhaps it could not be stopped. A guest that is off
 * may still be wanted on, so nothing changes.
 */
const wantedAfterFailure = (observed: VmStatus): VmChange =>
  observed === 'running' ? { wanted_power: 'on' } : {};

/** A start requested by the customer resets the record of the service's own attempts. */
const wantedOn = ({ job }: JobContext): VmChange => ({
  wanted_power: 'on',
  ...(!job.by_service && NOT_RESTARTED),
});
/**
 * Once switched off, the VM must not be started by a payment: an earlier suspension that failed may have recorded that
 * the VM was running.
 */
const WANTED_OFF: VmChange = { wanted_power: 'off', resume_after_payment: false, ...NOT_RESTARTED };

export const start = powerJob(
  { name: 'start_guest', waits: true, run: ({ compute, vm, signal }) => compute.start(vm.id, signal) },
  (context) => ({
    change: { status: 'running', ...wantedOn(context) },
    event: { type: 'vm.started', message: 'The VM was started.' },
  }),
);

export const stop = powerJob(
  {
    name: 'shut_down_guest',
    waits: true,
    run: (context) => context.compute.shutdown(context.vm.id, timeout(context), context.signal),
  },
  () => ({
    change: { status: 'stopped', ...WANTED_OFF },
    event: { type: 'vm.stopped', message: 'The VM was stopped.' },
  }),
);

export const reboot = powerJob(
  {
    name: 'reboot_guest',
    waits: true,
    run: (context) => context.compute.reboot(context.vm.id, timeout(context), context.signal),
  },
  (context) => ({
    change: { status: 'running', ...wantedOn(context) },
    event: { type: 'vm.rebooted', message: 'The VM was rebooted.' },
  }),
);

const inputOf = ({ input }: JobRow) => input as ForceStopInput;
const suspends = (job: JobRow) => inputOf(job).suspend === true || inputOf(job).debt === true;

/**
 * Cuts the power. If the service does so because the VM is unpaid or its account is in debt, the VM becomes suspended.
 */
export const forceStop: JobDefinition = {
  steps: [{ name: 'power_off_guest', run: ({ compute, vm }) => compute.powerOff(vm.id) }],
  async succeeded(_tx, { job, vm, services }, at) {
    if (!suspends(job))
      return {
        change: { status: 'stopped', ...WANTED_OFF },
        event: { type: 'vm.stopped', message: 'The VM was switched off.' },
      };
    if (inputOf(job).debt) {
      const change = {
        debt_suspended_at: vm.debt_suspended_at ?? at,
        dunning_failures: 0,
        dunning_next_at: null,
      };
      return { change: { status: 'suspended', ...change }, event: DEBT_SUSPENDED };
    }
    // A VM that was found running despite its suspension keeps its deletion date. The customer's wanted power stays as
    // well.
    const change = { suspended_at: vm.suspended_at ?? at, dunning_failures: 0, dunning_next_at: null };
    const deletesAt = deletionAt({ ...vm, ...change }, services.catalog.grace)!;
    return { change: { status: 'suspended', ...change }, event: suspended(vm, deletesAt) };
  },
  async failed(_tx, { job, vm, observed }, at) {
    if (!suspends(job)) return { change: { status: observed } };
    const next = putOffDunning(vm, at);
    return { change: { status: observed, ...next }, event: suspensionFailed(next.dunning_next_at) };
  },
};
