import { systemLockTarget, TARGET_MODES } from '../../../db/queries/shield/shield-targets.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Input } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { changeMode, requireServed } from '../../../shield/target.ts';
import { requireEdge, TargetParams, TargetShape, viewOf } from './target-shape.ts';

export const setTargetMode = endpoint({
  audience: 'operator',
  operation: 'setTargetMode',
  method: 'POST',
  path: '/targets/{id}/mode',
  tag: 'shield',
  summary: 'Set the mode of a target',
  params: TargetParams,
  body: Input({ mode: Enum(TARGET_MODES) }),
  data: TargetShape,
  errors: ['invalid_state'],
  async handle({ params: { id }, body: { mode }, services }) {
    const { clock, db, logger, shield } = services;
    requireEdge(services, mode);
    const target = await db.transaction(async (tx) => {
      const locked = await systemLockTarget(tx, id);
      if (!locked) throw notFound();
      if (mode !== 'off') requireServed(services.edge.capabilities(), locked.ip);
      await changeMode(tx, locked, mode, clock.now());
      return locked;
    });
    shield.kick(id);
    logger.info({ target_id: id, mode }, 'shield target mode changed');
    return { data: await viewOf(services, target) };
  },
});
