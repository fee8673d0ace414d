import { deleteSnapshotRow, settleSnapshot } from '../../db/queries/snapshots.ts';
import type { SnapshotInput } from '../../domain/vms/job-inputs.ts';
import type { JobContext, JobDefinition } from '../job.ts';

const snapshotId = ({ job }: JobContext) => (job.input as unknown as SnapshotInput).snapshot_id;

export const snapshotCreate: JobDefinition = {
  steps: [
    {
      name: 'create_snapshot',
      async run(context) {
        const id = snapshotId(context);
        const { sizeBytes, includesMemory } = await context.compute.createSnapshot(context.vm.id, id);
        await settleSnapshot(context.services.db, id, 'creating', BigInt(sizeBytes), includesMemory);
      },
      undo: (context) => context.compute.deleteSnapshot(context.vm.id, snapshotId(context)),
    },
  ],
  async succeeded(tx, context) {
    await settleSnapshot(tx, snapshotId(context), 'available');
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
  async succeeded(tx, context) {
    await deleteSnapshotRow(tx, snapshotId(context));
    return {
      change: {},
      event: {
        type: 'snapshot.deleted',
        message: 'A snapshot was deleted.',
        metadata: { snapshot_id: snapshotId(context) },
      },
    };
  },
  async failed(tx, context) {
    await settleSnapshot(tx, snapshotId(context), 'error');
    return { change: {} };
  },
};
