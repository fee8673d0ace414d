import type { JobContext, Step } from '../job.ts';

// Jobs that need the guest to be off put their own steps between these two, which switch a running guest off and on
// again.

/** Time a guest may take to shut down before its power is cut. */
const SHUTDOWN_SECONDS = 60;

const restarts = ({ job }: JobContext) => (job.input as { restart: boolean }).restart;

/** Shuts the guest down, and cuts its power if it does not obey. Undo starts it again if the job should restart it. */
export const powerOffGuest: Step = {
  name: 'power_off_guest',
  waits: true,
  async run({ compute, services, vm, signal }) {
    try {
      await compute.shutdown(vm.id, SHUTDOWN_SECONDS, signal);
    } catch (error) {
      signal.throwIfAborted();
      services.logger.info({ err: error, vm_id: vm.id }, 'guest did not shut down; cutting its power');
      await compute.powerOff(vm.id);
    }
  },
  async undo(context) {
    const { compute, services, vm, signal } = context;
    if (!restarts(context)) return;
    // A guest that does not start again must not hold the VM's lock for ever: the VM is shown as stopped.
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
