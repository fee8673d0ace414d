import { askHosts } from '../../../compute/ask.ts';
import { decideRestore } from '../../../domain/vms/restore-vm.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Id, Input, Shape, Timestamp, VmParams } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { Code } from '../shared/input.ts';
import { startByOperator } from './start-by-operator.ts';
import { startedJobFields } from './vm-shape.ts';

export const restoreVm = endpoint({
  audience: 'operator',
  operation: 'restoreVm',
  method: 'POST',
  path: '/vms/{id}/restore',
  tag: 'vm',
  summary: 'Restore a VM to one of its snapshots',
  params: VmParams,
  body: Input({ snapshot_id: Code('snap_06f2v3n7k8q1m5x9z4b7c2d0gh') }),
  data: Shape(
    {
      ...startedJobFields,
      snapshot: Shape({ id: Id('snap'), name: Type.String(), created_at: Timestamp() }),
    },
    { $id: 'StartedRestore', description: 'A job that restores a VM to a snapshot' },
  ),
  errors: ['vm_locked', 'vm_suspended', 'invalid_state', 'compute_unavailable', 'capacity_unavailable'],
  async handle({ params: { id }, body, services }) {
    const hosts = await askHosts(services);
    const { job, decided } = await startByOperator(services, id, 'snapshot_restore', (tx, vm) =>
      decideRestore(tx, vm, body.snapshot_id, hosts),
    );
    const { name, created_at } = decided.snapshot;
    return { data: { ...job, snapshot: { id: body.snapshot_id, name, created_at } } };
  },
});
