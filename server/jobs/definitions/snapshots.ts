import { snapshotGb } from '../../compute/driver.ts';
import { beginSnapshotUsage, endSnapshotUsage } from '../../db/queries/money/meters.ts';
import { reserveSnapshot } from '../../db/queries/vms/reservations.ts';
import { deleteSnapshotRow, noteOpsKey, settleSnapshot } from '../../db/queries/vms/snapshots.ts';
import type { SnapshotInput } from '../../domain/vms/job-inputs.ts';
import type { JobContext, JobDefinition } from '../job.ts';

const snapshotId = ({ job }: Pick<JobContext, 'job'>) => (job.input as unknown as SnapshotInput).snapshot_id;

export const snapshotCreate: JobDefinition = {
  steps: [
    {
      name: 'create_snapshot',
      async run(context) {
        const id = snapshotId(context);
        const { sizeBytes, includesMemory } = await context.compute.createSnapshot(context.vm.id, id);
        await context.fence();
        await settleSnapshot(context.services.db, id, 'creating', BigInt(sizeBytes), includesMemory);
        await reserveSnapshot(context.services.db, id, snapshotGb(sizeBytes, context.vm.disk_gb));
      },
      undo: (context) => context.compute.deleteSnapshot(context.vm.id, snapshotId(context)),
    },
  ],
  async succeeded(tx, context) {
    await settleSnapshot(tx, snapshotId(context), 'available');
    await noteOpsKey(tx, snapshotId(context));
    await beginSnapshotUsage(tx, snapshotId(context));
    return {
      change: {},
      event: {
        type: 'snapshot.created',
        message: 'A snapshot was taken.',
        metadata: { snapshot_id: snapshotId(context) },
      },
    };
  },
  async failed(tx, context) {
    await settleSnapshot(tx, snapshotId(context), 'error');
    // If the job was given up, the snapshot may still be on the disk.
    if (!context.abandoned) await reserveSnapshot(tx, snapshotId(context), 0);
    return { change: {} };
  },
};

export const snapshotDelete: JobDefinition = {
  steps: [
    {
      name: 'delete_snapshot',
      run: (context) => context.compute.deleteSnapshot(context.vm.id, snapshotId(context)),
    },
  ],
  async succeeded(tx, context, at) {
    await deleteSnapshotRow(tx, snapshotId(context));
    await endSnapshotUsage(tx, { snapshotId: snapshotId(context) }, at);
    return {
      change: {},
      event: {
        type: 'snapshot.deleted',
        message: 'A snapshot was deleted.',
        metadata: { snapshot_id: snapshotId(context) },
      },
    };
  },
  async failed(tx, context, at) {
    await settleSnapshot(tx, snapshotId(context), 'error');
    // The owner wanted to be rid of the snapshot, and must not pay because it is still there.
    await endSnapshotUsage(tx, { snapshotId: snapshotId(context) }, at);
    return { change: {} };
  },
};
