import { askHosts, askOffer } from '../../../server/compute/ask.ts';
import { systemFindVm } from '../../../server/db/queries/vms/vms.ts';
import { decideRebuild } from '../../../server/domain/vms/rebuild-vm.ts';
import { decideRestore } from '../../../server/domain/vms/restore-vm.ts';
import type { JobKind } from '../../../server/domain/vms/states.ts';
import { startByOperator } from '../../../server/endpoints/operator/vms/start-by-operator.ts';
import { planMove, startMove } from '../../../server/jobs/start-move.ts';
import type { Call } from './customer.ts';
import { type Order, PURCHASE, type Scenario } from './fixture.ts';

const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl laptop';

/** One way in which a job of some kind starts. */
export interface Case {
  name: string;
  before: 'none' | 'running' | 'stopped';
  snapshot?: true;
  call(scenario: Scenario): Call | Order;
  /** A failed job leaves the guest unchanged; otherwise the VM shows the guest's new state. */
  undone?: true;
}

const onVm =
  (action: string, body?: object) =>
  ({ vmId }: Scenario): Call => ({
    method: 'POST',
    path: `/v1/vm/${vmId}/${action}`,
    body,
  });

const moved =
  (kind: 'cold' | 'live') =>
  ({ vmId }: Scenario): Order =>
  async (services) => {
    const hosts = await services.compute.hosts();
    const { job } = await services.db.transaction(async (tx) => {
      const start = { db: tx, services, now: services.clock.now() };
      const vm = (await systemFindVm(tx, vmId!, true))!;
      const plan = await planMove(tx, vm, kind);
      return startMove(start, vm, { engine: services.engine, hosts, plan });
    });
    return { job: { job_id: job.id } };
  };

/** At least one case of every kind of job: without one for a new kind, this does not compile and the scaffold fails. */
export const CASES: Record<JobKind, Case[]> = {
  create: [
    {
      name: 'started',
      before: 'none',
      undone: true,
      call: () => ({ method: 'POST', path: '/v1/vm', body: PURCHASE }),
    },
    {
      name: 'left off',
      before: 'none',
      undone: true,
      call: () => ({ method: 'POST', path: '/v1/vm', body: { ...PURCHASE, start: false } }),
    },
  ],
  start: [{ name: 'start', before: 'stopped', call: onVm('start') }],
  stop: [{ name: 'stop', before: 'running', call: onVm('stop') }],
  force_stop: [{ name: 'force stop', before: 'running', call: onVm('force-stop') }],
  reboot: [{ name: 'reboot', before: 'running', call: onVm('reboot') }],
  reset_password: [{ name: 'reset', before: 'running', call: onVm('reset-password') }],
  attach_ssh_key: [{ name: 'attach', before: 'running', call: onVm('ssh-key', { public_key: PUBLIC_KEY }) }],
  change_plan: [
    {
      name: 'dearer, running',
      before: 'running',
      undone: true,
      call: onVm('change-plan', { plan: 's4', allow_reboot: true }),
    },
    { name: 'dearer, off', before: 'stopped', undone: true, call: onVm('change-plan', { plan: 's4' }) },
  ],
  change_custom: [
    {
      name: 'cheaper, running',
      before: 'running',
      undone: true,
      call: onVm('change-custom', { vcpu: 1, ram_mb: 1024, allow_reboot: true }),
    },
  ],
  snapshot_create: [{ name: 'taken', before: 'running', undone: true, call: onVm('snapshots') }],
  snapshot_delete: [
    {
      name: 'deleted',
      before: 'running',
      snapshot: true,
      call: ({ vmId, snapshotId }) => ({ method: 'DELETE', path: `/v1/vm/${vmId}/snapshots/${snapshotId}` }),
    },
  ],
  snapshot_restore: [
    {
      name: 'restored, running',
      before: 'running',
      snapshot: true,
      undone: true,
      call:
        ({ vmId, snapshotId }): Order =>
        async (services) => {
          const hosts = await askHosts(services);
          return startByOperator(services, vmId!, 'snapshot_restore', (tx, vm) =>
            decideRestore(tx, vm, snapshotId!, hosts),
          );
        },
    },
  ],
  rebuild: [
    {
      name: 'rebuilt, with a snapshot',
      before: 'running',
      snapshot: true,
      undone: true,
      call:
        ({ vmId }): Order =>
        async (services) => {
          const request = { template: 'alpine-3.22', delete_snapshots: true };
          const offer = await askOffer(services, request);
          return startByOperator(services, vmId!, 'rebuild', (tx, vm) =>
            decideRebuild(tx, services, vm, request, offer),
          );
        },
    },
  ],
  move: [
    { name: 'as it runs', before: 'running', undone: true, call: moved('live') },
    { name: 'switched off for it', before: 'running', undone: true, call: moved('cold') },
    { name: 'off', before: 'stopped', undone: true, call: moved('live') },
  ],
  delete: [
    {
      name: 'deleted',
      before: 'running',
      snapshot: true,
      call: ({ vmId }) => ({ method: 'DELETE', path: `/v1/vm/${vmId}` }),
    },
  ],
};
