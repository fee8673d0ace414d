import { askHosts } from '../../../compute/ask.ts';
import { decideRestore } from '../../../domain/vms/restore-vm.ts';
import { startJob } from '../../../domain/vms/start-job.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { PathId, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { JobShape, presentJob } from '../../customer/vms/job-shape.ts';
import { loadVmForChange } from '../../customer/vms/load-vm.ts';

export const restoreSnapshot = endpoint({
  audience: 'panel',
  operation: 'restoreSnapshot',
  method: 'POST',
  path: '/vm/{id}/snapshots/{snapshot_id}/restore',
  access: 'operator',
  tag: 'vm',
  summary: 'Restore a VM to one of its snapshots',
  description: 'All data written since then is lost. A running VM is switched off and on again.',
  params: Type.Object({
    id: PathId('vm', 'VM identifier'),
    snapshot_id: PathId('snap', 'Snapshot identifier'),
  }),
  data: Shape({ job: JobShape }),
  errors: ['vm_locked', 'vm_suspended', 'invalid_state', 'compute_unavailable', 'capacity_unavailable'],
  prepare: ({ services }) => askHosts(services),
  load: ({ caller, params, db }) => loadVmForChange({ caller, params, db }),
  async handle(context) {
    const { db, resource: vm, params, prepared } = context;
    const { input } = await decideRestore(db, vm, params.snapshot_id, prepared);
    const job = await startJob(context, vm, { kind: 'snapshot_restore', input });
    return { data: { job: presentJob(job) } };
  },
});
