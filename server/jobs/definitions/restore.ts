import type { Transaction } from '../../db/database.ts';
import { forgetHostKey } from '../../db/queries/vms/guest-host-keys.ts';
import { systemFindSnapshot } from '../../db/queries/vms/snapshots.ts';
import { recordOpsKey } from '../../db/queries/vms/vm-ops-keys.ts';
import type { VmChange } from '../../db/queries/vms/vms.ts';
import type { RestoreInput } from '../../domain/vms/job-inputs.ts';
import { NOT_RESTARTED } from '../../domain/vms/restarts.ts';
import type { FailureContext, JobContext, JobDefinition } from '../job.ts';
import { powerOffGuest, powerOnGuest } from './power-cycle.ts';

const input = ({ job }: Pick<JobContext, 'job'>) => job.input as unknown as RestoreInput;

/** Name of a snapshot of the disk before the restore, used to undo it. Only the engine knows this snapshot. */
const formerDisk = ({ job }: JobContext) => `former_${job.id}`;

/** Restores a VM to a snapshot: power off if running, restore, power on. Undo brings the former disk back. */
export const snapshotRestore: JobDefinition = {
  steps: [
    powerOffGuest,
    {
      name: 'keep_former_disk',
      async run(context) {
        await context.compute.createSnapshot(context.vm.id, formerDisk(context));
      },
      undo: (context) => context.compute.deleteSnapshot(context.vm.id, formerDisk(context)),
    },
    {
      name: 'restore_snapshot',
      run: (context) => context.compute.restoreSnapshot(context.vm.id, input(context).snapshot_id),
      undo: (context) => context.compute.restoreSnapshot(context.vm.id, formerDisk(context)),
    },
    powerOnGuest,
    {
      name: 'discard_former_disk',
      final: true,
      run: (context) => context.compute.deleteSnapshot(context.vm.id, formerDisk(context)),
    },
  ],
  async succeeded(tx, context) {
    const { restart, snapshot_id } = input(context);
    return {
      change: {
        ...(await restored(tx, context)),
        status: restart ? 'running' : 'stopped',
        ...(restart && { wanted_power: 'on' as const }),
      },
      event: {
        type: 'snapshot.restored',
        message: 'The VM was restored to a snapshot.',
        metadata: { snapshot_id },
      },
    };
  },
  async failed(tx, context) {
    const { job, observed, abandoned } = context;
    const isDone = abandoned && snapshotRestore.steps[job.step]?.final;
    return { change: { ...(isDone && (await restored(tx, context))), status: observed } };
  },
};

/** Updates the records of a VM that now has a snapshot's disk: the ops key that can log in, and the host key. */
async function restored(tx: Transaction, context: FailureContext | JobContext): Promise<VmChange> {
  const { vm } = context;
  const snapshot = await systemFindSnapshot(tx, input(context).snapshot_id);
  await recordOpsKey(tx, vm.id, snapshot?.ops_key_fingerprint ?? null);
  await forgetHostKey(tx, vm.id);
  return NOT_RESTARTED;
}
