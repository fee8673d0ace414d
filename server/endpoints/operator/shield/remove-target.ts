import { systemLockTarget } from '../../../db/queries/shield/shield-targets.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Id, Shape } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { removeTarget as remove } from '../../../shield/target.ts';
import { TargetParams } from './target-shape.ts';

export const removeTarget = endpoint({
  audience: 'operator',
  operation: 'removeTarget',
  method: 'POST',
  path: '/targets/{id}/remove',
  tag: 'shield',
  summary: 'End the protection of an address and delete its rules',
  params: TargetParams,
  data: Shape({ id: Id('tgt'), removed: Type.Literal(true) }),
  errors: [],
  async handle({ params: { id }, services: { clock, db, logger, shield } }) {
    await db.transaction(async (tx) => {
      const locked = await systemLockTarget(tx, id);
      if (!locked) throw notFound();
      await remove(tx, locked, clock.now());
    });
    shield.kick(id);
    logger.info({ target_id: id }, 'shield target removed');
    return { data: { id, removed: true } };
  },
});
