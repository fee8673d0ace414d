import { findSnapshot, settleSnapshot } from '../../../db/queries/vms/snapshots.ts';
import { startJob } from '../../../domain/vms/start-job.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Id, PathId, Shape } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { exampleJob, JobShape, presentJob } from '../vms/job-shape.ts';
import { loadVmForChange } from '../vms/load-vm.ts';
import { exampleSnapshot } from './snapshot-shape.ts';

export const deleteSnapshot = endpoint({
  audience: 'customer',
  operation: 'deleteSnapshot',
  method: 'DELETE',
  path: '/v1/vm/{id}/snapshots/{sid}',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Delete a snapshot',
  description:
    'Allowed when the VM is running or stopped, but not while a snapshot is being created or deleted.',
  params: Type.Object({
    id: PathId('vm', 'VM identifier'),
    sid: PathId('snap', 'Snapshot identifier'),
  }),
  data: Shape(
    { id: Id('snap'), job: JobShape },
    { $id: 'DeletingSnapshot', description: 'The job that deletes a snapshot' },
  ),
  errors: ['vm_locked', 'invalid_state', 'vm_suspended', 'compute_unavailable'],
  example: { id: exampleSnapshot.id, job: { ...exampleJob, kind: 'snapshot_delete' } },
  async load(request) {
    const vm = await loadVmForChange(request);
    const snapshot = await findSnapshot(request.db, vm.id, request.params.sid);
    if (!snapshot) throw notFound();
    return { vm, snapshot };
  },
  async handle(context) {
    const { vm, snapshot } = context.resource;
    // A snapshot that is being created or deleted has a job, and that job holds the VM's lock.
    requireAllowed(vm, 'snapshot');
    await settleSnapshot(context.db, snapshot.id, 'deleting');
    const job = await startJob(context, vm, { kind: 'snapshot_delete', input: { snapshot_id: snapshot.id } });
    return { data: { id: snapshot.id, job: presentJob(job) } };
  },
});
