import { addressesOf, releaseAddresses } from '../../db/queries/addresses.ts';
import { authorizedKeysOf } from '../../db/queries/vm-ssh-keys.ts';
import { captureFor, releaseFor } from '../../domain/billing/vm-orders.ts';
import { type CreateInput, SEALED_FOR } from '../../domain/vms/job-inputs.ts';
import type { JobDefinition, Step } from '../job.ts';

const createGuest: Step = {
  name: 'create_guest',
  async run({ compute, vm, job, services }) {
    const input = job.input as unknown as CreateInput;
    const keys = await authorizedKeysOf(services.db, vm.id);
    await compute.create({
      id: vm.id,
      hostname: vm.hostname,
      template: vm.template,
      region: vm.region,
      vcpu: vm.vcpu,
      ramMb: vm.ram_mb,
      diskGb: vm.disk_gb,
      mac: vm.mac,
      addresses: await addressesOf(services.db, vm.id),
      authorizedKeys: [...keys, services.opsKey.publicKey],
      password: input.sealed_password
        ? services.secrets.open(input.sealed_password, SEALED_FOR.create)
        : undefined,
      userData: input.user_data ?? undefined,
    });
  },
  undo: ({ compute, vm }) => compute.remove(vm.id),
};

const applyNetwork: Step = {
  name: 'apply_network',
  run: ({ services, vm }) => services.network.apply(vm.id),
};

const startGuest: Step = {
  name: 'start_guest',
  async run({ compute, vm, job, signal }) {
    if ((job.input as unknown as CreateInput).start) await compute.start(vm.id, signal);
  },
  undo: ({ compute, vm }) => compute.powerOff(vm.id),
};

/** Makes a VM that has been paid for: the hold is captured when it runs, released when it cannot. */
export const create: JobDefinition = {
  steps: [createGuest, applyNetwork, startGuest],
  async succeeded(tx, { services, job, vm }, at) {
    await captureFor(services, tx, job, at);
    const status = (job.input as unknown as CreateInput).start ? 'running' : 'stopped';
    return {
      change: { status, provisioned_at: at },
      event: {
        type: 'vm.created',
        message: `VM ${vm.hostname} was created.`,
        metadata: { plan: vm.plan, template: vm.template },
      },
    };
  },
  async failed(tx, { services, job, vm }, at) {
    await releaseFor(services, tx, job, at);
    await releaseAddresses(tx, vm.id, at);
    return { change: { status: 'error' } };
  },
};
