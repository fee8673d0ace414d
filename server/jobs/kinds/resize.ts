import type { GuestSize } from '../../compute/driver.ts';
import { captureFor, releaseFor } from '../../domain/billing/vm-orders.ts';
import { bandwidthLimit } from '../../domain/catalog/lookup.ts';
import { beginNetworkChange } from '../../domain/network/network-change.ts';
import type { ResizeInput } from '../../domain/vms/job-inputs.ts';
import type { JobContext, JobDefinition } from '../job.ts';

/** How long a guest may take to shut down before its power is cut for a resize that the caller allowed. */
const SHUTDOWN_SECONDS = 60;

const input = ({ job }: JobContext) => job.input as unknown as ResizeInput;
const sizeOf = (from: { vcpu: number; ram_mb: number; disk_gb: number }): GuestSize => ({
  vcpu: from.vcpu,
  ramMb: from.ram_mb,
  diskGb: from.disk_gb,
});

/**
 * The size, with the disk of a guest that is larger: an earlier resize that was undone has left it so. A disk
 * cannot shrink, and space that is not sold costs nothing.
 */
function fitting(size: GuestSize, guest: GuestSize | undefined): GuestSize {
  return { ...size, diskGb: Math.max(size.diskGb, guest?.diskGb ?? 0) };
}

/** Changes plan or custom size: power off if running, resize, power on. Undone, the VM is as it was. */
export const resize: JobDefinition = {
  steps: [
    {
      name: 'power_off_guest',
      async run(context) {
        const { compute, vm, signal } = context;
        if (!input(context).restart) return;
        try {
          await compute.shutdown(vm.id, SHUTDOWN_SECONDS, signal);
        } catch (error) {
          signal.throwIfAborted();
          context.services.logger.info(
            { err: error, vm_id: vm.id },
            'guest did not shut down for its resize',
          );
          await compute.powerOff(vm.id);
        }
      },
      async undo(context) {
        const { compute, services, vm, signal } = context;
        if (!input(context).restart) return;
        // A guest that will not start again must not hold the VM's lock for ever: it is shown as stopped.
        await compute.start(vm.id, signal).catch((error) => {
          services.logger.error(
            { err: error, vm_id: vm.id },
            'guest did not start again after a failed resize',
          );
        });
      },
    },
    {
      name: 'resize_guest',
      async run(context) {
        const { compute, vm } = context;
        await compute.resize(vm.id, fitting(sizeOf(input(context)), await compute.inspect(vm.id)));
      },
      async undo({ compute, vm }) {
        const guest = await compute.inspect(vm.id);
        if (guest) await compute.resize(vm.id, fitting(sizeOf(vm), guest));
      },
    },
    {
      name: 'power_on_guest',
      async run(context) {
        if (input(context).restart) await context.compute.start(context.vm.id, context.signal);
      },
      async undo(context) {
        if (input(context).restart) await context.compute.powerOff(context.vm.id);
      },
    },
  ],
  async succeeded(tx, context, at) {
    const { services, job, vm } = context;
    await captureFor(services, tx, job, at);
    const { restart, price_monthly_minor, plan, vcpu, ram_mb, disk_gb, bandwidth_gb } = input(context);
    const sold = {
      plan,
      vcpu,
      ram_mb,
      disk_gb,
      bandwidth_gb,
      price_monthly_minor: BigInt(price_monthly_minor),
    };
    if (bandwidthLimit(services.catalog, plan) !== bandwidthLimit(services.catalog, vm.plan))
      await beginNetworkChange({ db: tx, services, now: at }, vm.id);
    return {
      change: { ...sold, status: restart ? 'running' : 'stopped' },
      event: {
        type: 'vm.resized',
        message: 'The VM was resized.',
        metadata: { plan, vcpu, ram_mb, disk_gb },
      },
    };
  },
  async failed(tx, context, at) {
    await releaseFor(context.services, tx, context.job, at);
    return { change: { status: context.observed } };
  },
};
