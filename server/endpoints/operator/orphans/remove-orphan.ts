import { findOrphan, forgetOrphan, livingAmong } from '../../../db/queries/hosts/orphans.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { ApiError, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { orphanFields, presentOrphan } from './orphan-shape.ts';

export const removeOrphan = endpoint({
  audience: 'operator',
  operation: 'removeOrphan',
  method: 'POST',
  path: '/orphans/{id}/remove',
  tag: 'host',
  summary: 'Stop a guest that belongs to no VM, and delete its disk and snapshots',
  params: Type.Object({
    id: Type.String({
      description: 'Identifier of the guest',
      examples: ['vm_06f2v3n7k8q1m5x9z4b7c2d0gh'],
    }),
  }),
  data: Shape(
    { ...orphanFields, removed: Type.Literal(true) },
    { $id: 'RemovedOrphan', description: 'A removed guest that belonged to no VM' },
  ),
  errors: ['invalid_state', 'compute_unavailable'],
  async handle({ params: { id }, services: { db, clock, compute, engine, logger } }) {
    const orphan = await findOrphan(db, engine, id);
    if (!orphan) throw notFound();
    if ((await livingAmong(db, [id])).size > 0)
      throw new ApiError('invalid_state', `${id} is the guest of a VM. Delete the VM instead.`);
    await compute.remove(id);
    if (await compute.inspect(id))
      throw new ApiError('compute_unavailable', `${id} still exists after its removal.`);
    await db.transaction((tx) => forgetOrphan(tx, orphan, clock.now()));
    logger.warn({ guest_id: id, addresses: orphan.addresses }, 'orphan removed by the operator');
    return { data: { ...presentOrphan(orphan), removed: true } };
  },
});
