import type { Transaction } from '../../db/database.ts';
import { endSnapshotUsage } from '../../db/queries/money/meters.ts';
import { deleteSnapshotRows } from '../../db/queries/vms/snapshots.ts';
import { deleteAgentHistory, deleteConsoleAccess } from '../../db/queries/vms/vm-dependents.ts';
import { recordOpsKey } from '../../db/queries/vms/vm-ops-keys.ts';
import { replaceVmSshKeys } from '../../db/queries/vms/vm-ssh-keys.ts';
import type { VmChange } from '../../db/queries/vms/vms.ts';
import type { RebuildInput } from '../../domain/vms/job-inputs.ts';
import { NOT_RESTARTED } from '../../domain/vms/restarts.ts';
import type { FailureContext, JobContext, JobDefinition } from '../job.ts';
import { applyNetwork } from './create.ts';
import { guestSpec } from './guest-spec.ts';
import { powerOffGuest, powerOnGuest } from './power-cycle.ts';

const input = ({ job }: Pick<JobContext, 'job'>) => job.input as unknown as RebuildInput;

/**
 * Reinstalls a VM from a template: power off if running, replace the guest, if there is one, power on. Undo brings the
 * former guest back.
 */
export const rebuild: JobDefinition = {
  steps: [
    powerOffGuest,
    {
      name: 'rebuild_guest',
      async run(context) {
        const { compute, job } = context;
        const { template, keys } = input(context);
        const own = { template, ...(keys && { keys: keys.map(({ public_key }) => public_key) }) };
        await compute.rebuild(await guestSpec(context, input(context), own), job.id);
      },
      undo: ({ compute, vm, job }) => compute.undoRebuild(vm.id, job.id),
    },
    applyNetwork,
    powerOnGuest,
    {
      name: 'discard_former_guest',
      final: true,
      run: ({ compute, vm, job }) => compute.finishRebuild(vm.id, job.id),
    },
  ],
  async succeeded(tx, context, at) {
    const { restart, template } = input(context);
    return {
      change: {
        ...(await rebuilt(tx, context, at)),
        status: restart ? 'running' : 'stopped',
        ...(restart && { wanted_power: 'on' as const }),
      },
      event: { type: 'vm.rebuilt', message: `The VM was rebuilt from ${template}.`, metadata: { template } },
    };
  },
  async failed(tx, context, at) {
    const { job, vm, observed, abandoned } = context;
    if (abandoned && rebuild.steps[job.step]?.final)
      return { change: { ...(await rebuilt(tx, context, at)), status: observed } };
    // If the job was given up on the way, it is unknown which guest is there.
    await recordOpsKey(tx, vm.id, abandoned ? null : input(context).ops_key_fingerprint);
    return { change: { status: observed } };
  },
};

/** Updates a VM's records for its new guest: nothing that gave access to the former guest gives access to this one. */
async function rebuilt(tx: Transaction, context: FailureContext | JobContext, at: Date): Promise<VmChange> {
  const { vm } = context;
  const { template, keys } = input(context);
  await deleteAgentHistory(tx, vm.id);
  if (keys) await replaceVmSshKeys(tx, vm.id, keys);
  await deleteSnapshotRows(tx, vm.id);
  await endSnapshotUsage(tx, { vmId: vm.id }, at);
  await deleteConsoleAccess(tx, vm.id);
  return { template, ...NOT_RESTARTED };
}
