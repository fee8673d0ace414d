import type { ForceStopInput, PowerInput } from '../../domain/vms/job-inputs.ts';
import type { JobContext, JobDefinition, Outcome, Step } from '../job.ts';

const timeout = ({ job }: JobContext) => (job.input as unknown as PowerInput).timeout_seconds;

/** A power job has nothing to undo: the VM shows whatever state its guest is really in. */
function powerJob(step: Step, done: (context: JobContext, at: Date) => Outcome): JobDefinition {
  return {
    steps: [step],
    succeeded: async (_tx, context, at) => done(context, at),
    failed: async (_tx, { observed }) => ({ change: { status: observed } }),
  };
}

export const start = powerJob(
  { name: 'start_guest', run: ({ compute, vm, signal }) => compute.start(vm.id, signal) },
  () => ({ change: { status: 'running' }, event: { type: 'vm.started', message: 'The VM was started.' } }),
);

export const stop = powerJob(
  {
    name: 'shut_down_guest',
    run: (context) => context.compute.shutdown(context.vm.id, timeout(context), context.signal),
  },
  () => ({ change: { status: 'stopped' }, event: { type: 'vm.stopped', message: 'The VM was stopped.' } }),
);

export const reboot = powerJob(
  {
    name: 'reboot_guest',
    run: (context) => context.compute.reboot(context.vm.id, timeout(context), context.signal),
  },
  () => ({ change: { status: 'running' }, event: { type: 'vm.rebooted', message: 'The VM was rebooted.' } }),
);

export const forceStop = powerJob(
  { name: 'power_off_guest', run: ({ compute, vm }) => compute.powerOff(vm.id) },
  ({ job }, at) =>
    (job.input as ForceStopInput).suspend
      ? {
          change: { status: 'suspended', suspended_at: at },
          event: { type: 'vm.suspended', message: 'The VM was switched off because it is unpaid.' },
        }
      : { change: { status: 'stopped' }, event: { type: 'vm.stopped', message: 'The VM was switched off.' } },
);
