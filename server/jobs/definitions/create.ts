import { releaseAddresses } from '../../db/queries/vms/addresses.ts';
import { deleteReservation } from '../../db/queries/vms/reservations.ts';
import { captureFor, releaseFor } from '../../domain/billing/vm-orders.ts';
import type { CreateInput } from '../../domain/vms/job-inputs.ts';
import type { JobDefinition, Step } from '../job.ts';
import { guestSpec } from './guest-spec.ts';

const createGuest: Step = {
  name: 'create_guest',
  async run(context) {
    const { compute, vm, job } = context;
    await compute.create(
      await guestSpec(context, job.input as unknown as CreateInput, { template: vm.template }),
    );
  },
  undo: ({ compute, vm }) => compute.remove(vm.id),
};

export const applyNetwork: Step = {
  name: 'apply_network',
  async run({ services, vm, fence }) {
    await fence();
    await services.network.apply(vm.id);
  },
};

const startGuest: Step = {
  name: 'start_guest',
  waits: true,
  async run({ compute, vm, job, signal }) {
    if ((job.input as unknown as CreateInput).start) await compute.start(vm.id, signal);
  },
  undo: ({ compute, vm }) => compute.powerOff(vm.id),
};

/**
 * Creates a VM whose price is held in the wallet: the hold is captured if the job succeeds and released if it fails.
 */
export const create: JobDefinition = {
  steps: [createGuest, applyNetwork, startGuest],
  async succeeded(tx, { services, job, vm, order }, at) {
    await captureFor(services, tx, order, at);
    const { start } = job.input as unknown as CreateInput;
    return {
      change: {
        status: start ? 'running' : 'stopped',
        wanted_power: start ? 'on' : 'off',
        provisioned_at: at,
      },
      event: {
        type: 'vm.created',
        message: `VM ${vm.hostname} was created.`,
        metadata: { plan: vm.plan, template: vm.template },
      },
    };
  },
  async failed(tx, { services, vm, order, abandoned }, at) {
    await releaseFor(services, tx, order, at);
    // A guest that may have been left behind keeps its capacity and its addresses until the VM's deletion has removed
    // it.
    if (!abandoned) {
      await deleteReservation(tx, vm.id);
      await releaseAddresses(tx, vm.id, at);
    }
    return { change: { status: 'error', deposit_minor: null, deposit_since: null } };
  },
};
