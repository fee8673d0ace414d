import type { FastifyInstance } from 'fastify';
import { askCapacity } from '../../compute/ask.ts';
import { decideRebuild } from '../../domain/vms/rebuild-vm.ts';
import { decideRestore } from '../../domain/vms/restore-vm.ts';
import { Input } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { Type } from '../../platform/schema.ts';
import { requireBytes } from '../shared/bytes.ts';
import { startByOperator } from './vms/start-by-operator.ts';

/** As a new VM may have them. */
const MAX_KEYS = 20;
const MAX_USER_DATA_BYTES = 32 * 1024;

const Code = Type.String({ minLength: 1, maxLength: 64 });
const Restore = Input({ snapshot_id: Code });
const Rebuild = Input({
  template: Code,
  ssh_key_ids: Type.Optional(Type.Array(Type.String(), { maxItems: MAX_KEYS, uniqueItems: true })),
  user_data: Type.Optional(Type.String({ maxLength: MAX_USER_DATA_BYTES })),
  delete_snapshots: Type.Optional(Type.Boolean()),
});

/** What replaces a VM's disk, in the operator's name. */
export function registerDiskOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/vms/:id/restore',
    body: Restore,
    async handle({ id, body }) {
      const { job, decided } = await startByOperator(services, id, 'snapshot_restore', (tx, vm) =>
        decideRestore(tx, vm, body.snapshot_id),
      );
      const { name, created_at } = decided.snapshot;
      return { data: { ...job, snapshot: { id: body.snapshot_id, name, created_at } } };
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/vms/:id/rebuild',
    body: Rebuild,
    async handle({ id, body }) {
      requireBytes('user_data', body.user_data, MAX_USER_DATA_BYTES);
      const capacity = await askCapacity(services);
      const { job, decided } = await startByOperator(services, id, 'rebuild', (tx, vm) =>
        decideRebuild(tx, services, vm, body, capacity),
      );
      return { data: { ...job, template: body.template, initial_password: decided.initialPassword } };
    },
  });
}
