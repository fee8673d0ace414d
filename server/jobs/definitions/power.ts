import type { JobRow } from '../../db/queries/jobs.ts';
import type { VmChange } from '../../db/queries/vms.ts';
import { DEBT_SUSPENDED } from '../../domain/billing/debt-suspension.ts';
import { suspended, suspensionFailed } from '../../domain/billing/dunning-events.ts';
import { deletionAt } from '../../domain/billing/grace.ts';
import type { ForceStopInput, PowerInput } from '../../domain/vms/job-inputs.ts';
import { NOT_RESTARTED } from '../../domain/vms/restarts.ts';
import type { VmStatus } from '../../domain/vms/states.ts';
import type { JobContext, JobDefinition, Outcome, Step } from '../job.ts';
import { putOffDunning } from '../timers/dun-vm.ts';

const timeout = ({ job }: JobContext) => (job.input as unknown as PowerInput).timeout_seconds;

/** A power job has nothing to undo: the VM shows whatever state its guest is really in. */
function powerJob(step: Step, done: (context: JobContext) => Outcome): JobDefinition {
  return {
    steps: [step],
    succeeded: async (_tx, context) => done(context),
    failed: async (_tx, { observed }) => ({ change: { status: observed, ...wantedAfterFailure(observed) } }),
  };
}

/** What runs after all is wanted: it may be what could not be stopped. One that is off may be wanted on all the same. */
const wantedAfterFailure = (observed: VmStatus): VmChange =>
  observed === 'running' ? { wanted_power: 'on' } : {};

/** A start that the customer asked for wipes out what the service has tried before. */
const wantedOn = ({ job }: JobContext): VmChange => ({
  wanted_power: 'on',
  ...(!job.by_service && NOT_RESTARTED),
});
/** Switched off, it is not to be started by a payment: a suspension that failed before has left that it ran. */
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

/** Cuts the power; where the service does so because the VM is unpaid or its account in debt, that suspends it. */
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
    // One that was found running in spite of its suspension is deleted no later for that. What its customer wants stays.
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
