import { askOffer } from '../../../compute/ask.ts';
import { findVm } from '../../../db/queries/vms/vms.ts';
import { decideRebuild } from '../../../domain/vms/rebuild-vm.ts';
import { startJob } from '../../../domain/vms/start-job.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Nullable, Shape, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { JobShape, presentJob } from '../../customer/vms/job-shape.ts';
import { loadVmForChange } from '../../customer/vms/load-vm.ts';
import { RebuildFields } from '../../shared/rebuild.ts';

export const rebuildVm = endpoint({
  audience: 'panel',
  operation: 'rebuildVm',
  method: 'POST',
  path: '/vm/{id}/rebuild',
  access: 'operator',
  tag: 'vm',
  summary: 'Reinstall a VM from a template',
  description:
    'All data on its disk is lost, including snapshots, whose deletion must be requested explicitly. Its addresses and price stay.',
  params: VmParams,
  body: Input(RebuildFields),
  data: Shape({
    job: JobShape,
    initial_password: Nullable(Type.String({ description: 'Shown only once; null if a key can log in' })),
  }),
  errors: [
    'vm_locked',
    'vm_suspended',
    'invalid_state',
    'unknown_template',
    'compute_unavailable',
    'capacity_unavailable',
  ],
  async prepare({ caller, params, body, services }) {
    const vm = await findVm(services.db, caller.accountId, params.id);
    return askOffer(services, { template: body.template, region: vm?.region });
  },
  load: ({ caller, params, db }) => loadVmForChange({ caller, params, db }),
  async handle(context) {
    const { db, services, resource: vm, body, prepared } = context;
    const { input, initialPassword } = await decideRebuild(db, services, vm, body, prepared);
    const job = await startJob(context, vm, { kind: 'rebuild', input });
    return { data: { job: presentJob(job), initial_password: initialPassword } };
  },
});
