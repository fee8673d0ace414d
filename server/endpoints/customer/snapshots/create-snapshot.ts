import { askHosts } from '../../../compute/ask.ts';
import { countSnapshots, insertSnapshot } from '../../../db/queries/vms/snapshots.ts';
import { accountLimits, requireBelow } from '../../../domain/vms/quotas.ts';
import { reserveForSnapshot } from '../../../domain/vms/reserve.ts';
import { startJob } from '../../../domain/vms/start-job.ts';
import { requireAllowed } from '../../../domain/vms/states.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Name, Nullable, Shape, VmParams } from '../../../http/schemas.ts';
import { newId } from '../../../platform/ids.ts';
import { Type } from '../../../platform/schema.ts';
import { exampleJob, JobShape, presentJob } from '../vms/job-shape.ts';
import { loadVmForChange } from '../vms/load-vm.ts';
import { exampleSnapshot, presentSnapshot, SnapshotShape } from './snapshot-shape.ts';

/** Returns a name such as "snapshot-20260105-100000". */
const nameAt = (now: Date) =>
  `snapshot-${now.toISOString().slice(0, 19).replace(/[-:]/g, '').replace('T', '-')}`;

export const createSnapshot = endpoint({
  audience: 'customer',
  operation: 'createSnapshot',
  method: 'POST',
  path: '/v1/vm/{id}/snapshots',
  scope: 'vm:write',
  tag: 'vm',
  summary: 'Create a snapshot',
  description:
    'Allowed when the VM is running or stopped. The snapshot is `available` when its job has succeeded.',
  params: VmParams,
  body: Input({
    name: Type.Optional(
      Name('before-upgrade', 'Trimmed; not blank; defaults to a name with the current time (UTC)'),
    ),
    description: Type.Optional(Nullable(Type.String({ maxLength: 500 }))),
  }),
  data: Shape(
    { snapshot: SnapshotShape, job: JobShape },
    { $id: 'SnapshotJob', description: 'A snapshot and the job that creates it' },
  ),
  errors: [
    'vm_locked',
    'invalid_state',
    'vm_suspended',
    'quota_exceeded',
    'compute_unavailable',
    'capacity_unavailable',
  ],
  example: { snapshot: exampleSnapshot, job: { ...exampleJob, kind: 'snapshot_create' } },
  load: loadVmForChange,
  prepare: ({ services }) => askHosts(services),
  async handle(context) {
    const { resource: vm, body, prepared, db, services, now } = context;
    requireAllowed(vm, 'snapshot');
    const limits = await accountLimits(db, services.catalog, vm.account_id);
    requireBelow('snapshots_per_vm', limits.snapshots_per_vm, await countSnapshots(db, vm.id));
    const snapshot = await insertSnapshot(db, {
      id: newId('snap', services.clock),
      account_id: vm.account_id,
      vm_id: vm.id,
      name: body.name?.trim() ?? nameAt(now),
      description: body.description ?? null,
      status: 'creating',
      size_bytes: null,
      includes_memory: false,
      created_at: now,
    });
    const job = await startJob(context, vm, { kind: 'snapshot_create', input: { snapshot_id: snapshot.id } });
    // Last, because the host's row stays locked until the commit.
    await reserveForSnapshot({ db, hosts: prepared }, vm, snapshot.id, vm.disk_gb);
    return { data: { snapshot: presentSnapshot(snapshot), job: presentJob(job) } };
  },
});
