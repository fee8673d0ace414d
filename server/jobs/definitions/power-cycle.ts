import type { JobContext, Step } from '../job.ts';

// What is done to a guest that is off is done between these two, to one that runs as well.

/** How long a guest may take to shut down before its power is cut. */
const SHUTDOWN_SECONDS = 60;

/** Whether the guest is to run afterwards. */
const restarts = ({ job }: JobContext) => (job.input as { restart: boolean }).restart;

/** Shuts the guest down, by force unless it obeys. Undone, it runs again if it is to. */
export const powerOffGuest: Step = {
  name: 'power_off_guest',
  waits: true,
  async run({ compute, services, vm, signal }) {
    try {
      await compute.shutdown(vm.id, SHUTDOWN_SECONDS, signal);
    } catch (error) {
      signal.throwIfAborted();
      services.logger.info({ err: error, vm_id: vm.id }, 'guest did not shut down, its power is cut');
      await compute.powerOff(vm.id);
    }
  },
  async undo(context) {
    const { compute, services, vm, signal } = context;
    if (!restarts(context)) return;
    // A guest that will not start again must not hold the VM's lock for ever: it is shown as stopped.
    await compute.start(vm.id, signal).catch((error) => {
      services.logger.error({ err: error, vm_id: vm.id }, 'guest did not start again after a failed job');
    });
  },
};

export const powerOnGuest: Step = {
  name: 'power_on_guest',
  waits: true,
  async run(context) {
    if (restarts(context)) await context.compute.start(context.vm.id, context.signal);
  },
  async undo(context) {
    if (restarts(context)) await context.compute.powerOff(context.vm.id);
  },
};
