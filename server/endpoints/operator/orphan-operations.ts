import type { FastifyInstance } from 'fastify';
import {
  findOrphan,
  forgetOrphan,
  listOrphans,
  livingAmong,
  type OrphanRow,
} from '../../db/queries/orphans.ts';
import { pageFrom, paginated } from '../../http/page.ts';
import { Input, PageQuery } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { ApiError, notFound } from '../../platform/errors.ts';

function presentOrphan({ guest_id, engine, vcpu, ram_mb, disk_gb, addresses, found_at }: OrphanRow) {
  return { id: guest_id, engine, vcpu, ram_mb, disk_gb, addresses, found_at };
}

/** Guests that no VM has: what there is, and their end, on the operator's word alone. */
export function registerOrphanOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'GET',
    path: '/orphans',
    query: Input(PageQuery),
    async handle({ query, services: { db, guests } }) {
      // As it is now, where the engine can tell.
      await guests.run().catch(() => {});
      const page = pageFrom(query);
      return paginated(await listOrphans(db, page), page, presentOrphan);
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/orphans/:id/remove',
    handle: async ({ id }) => ({ data: await removeOrphan(services, id) }),
  });
}

async function removeOrphan({ db, clock, compute, engine, logger }: OperatorServices, id: string) {
  const orphan = await findOrphan(db, engine, id);
  if (!orphan) throw notFound();
  if ((await livingAmong(db, [id])).size > 0)
    throw new ApiError('invalid_state', `${id} is the guest of a VM, which can be deleted.`);
  await compute.remove(id);
  if (await compute.inspect(id))
    throw new ApiError('compute_unavailable', `${id} is still there after its removal.`);
  await db.transaction((tx) => forgetOrphan(tx, orphan, clock.now()));
  logger.warn({ guest_id: id, addresses: orphan.addresses }, 'orphan removed by the operator');
  return { ...presentOrphan(orphan), removed: true };
}
