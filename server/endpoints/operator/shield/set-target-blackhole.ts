import { setBlackhole, systemLockTarget } from '../../../db/queries/shield/shield-targets.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input, Nullable } from '../../../http/schemas.ts';
import { ApiError, notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { requireEdge, requireTarget, TargetParams, TargetShape, viewOf } from './target-shape.ts';

/** A day: after this, the address of a forgotten blackhole is reachable again. */
const MAX_MINUTES = 1_440;
const MINUTE_MS = 60_000;

export const setTargetBlackhole = endpoint({
  audience: 'operator',
  operation: 'setTargetBlackhole',
  method: 'POST',
  path: '/targets/{id}/blackhole',
  tag: 'shield',
  summary: 'Start or end a blackhole, which drops all traffic to a target for a while',
  params: TargetParams,
  body: Input({
    minutes: Nullable(
      Type.Integer({
        minimum: 1,
        maximum: MAX_MINUTES,
        description: 'Duration; null ends it',
        examples: [30],
      }),
    ),
  }),
  data: TargetShape,
  errors: ['invalid_state'],
  async handle({ params: { id }, body: { minutes }, services }) {
    const { clock, db, logger, shield } = services;
    await db.transaction(async (tx) => {
      const target = await systemLockTarget(tx, id);
      if (!target) throw notFound();
      requireEdge(services, 'always_on');
      if (target.mode === 'off' && minutes !== null) {
        throw new ApiError('invalid_state', 'The target is off the edge; change its mode first.');
      }
      const now = clock.now().getTime();
      if (minutes !== null) await setBlackhole(tx, id, new Date(now + minutes * MINUTE_MS));
      else if (target.blackholed_until) await setBlackhole(tx, id, new Date(now));
    });
    shield.kick(id);
    logger.info({ target_id: id, minutes }, 'shield target blackhole changed');
    return { data: await viewOf(services, await requireTarget(db, id)) };
  },
});
