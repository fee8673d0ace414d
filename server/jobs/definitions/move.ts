import { clearMoveWindow } from '../../db/queries/hosts/move-windows.ts';
import type { MoveInput } from '../../domain/vms/job-inputs.ts';
import type { JobContext, JobDefinition } from '../job.ts';
import { applyNetwork } from './create.ts';
import { powerOffGuest, powerOnGuest } from './power-cycle.ts';

const input = ({ job }: Pick<JobContext, 'job'>) => job.input as unknown as MoveInput;

/**
 * Moves a VM to the host that has capacity reserved for it: power off unless it is a live move, move, power on. Its
 * addresses, keys and rules stay. Undo moves it back to its old host.
 */
export const move: JobDefinition = {
  steps: [
    {
      ...powerOffGuest,
      async run(context) {
        if (input(context).how === 'cold') await powerOffGuest.run(context);
      },
    },
    {
      name: 'move_guest',
      waits: true,
      run: (context) => {
        const { compute, vm, signal } = context;
        return compute.move(vm.id, { hostId: vm.moving_to! }, input(context).how, signal);
      },
      undo: (context) => {
        const { compute, vm, signal } = context;
        return compute.move(vm.id, { hostId: vm.host_id! }, input(context).how, signal);
      },
    },
    applyNetwork,
    powerOnGuest,
  ],
  async succeeded(tx, context) {
    await clearMoveWindow(tx, context.vm.id);
    return {
      change: {
        host_id: context.vm.moving_to,
        moving_to: null,
        ...(input(context).restart && { status: 'running' as const }),
      },
      event: { type: 'vm.moved', message: 'The VM was moved to another host.' },
    };
  },
  async failed(_tx, { job, observed, abandoned }) {
    // If the job was given up on the way, the reconciler finds out where the guest is; until then both hosts keep
    // capacity for it.
    const place = abandoned ? {} : { moving_to: null };
    return { change: { ...place, ...((abandoned || input({ job }).restart) && { status: observed }) } };
  },
};
