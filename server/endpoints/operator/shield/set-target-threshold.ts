import {
  setTargetThreshold as saveThreshold,
  systemLockTarget,
} from '../../../db/queries/shield/shield-targets.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Input } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { requireTarget, TargetParams, TargetShape, thresholdFields, viewOf } from './target-shape.ts';

export const setTargetThreshold = endpoint({
  audience: 'operator',
  operation: 'setTargetThreshold',
  method: 'POST',
  path: '/targets/{id}/threshold',
  tag: 'shield',
  summary: 'Set the rate above which incoming traffic to a target is an attack',
  params: TargetParams,
  body: Input(thresholdFields),
  data: TargetShape,
  errors: [],
  async handle({ params: { id }, body: { pps, bps }, services }) {
    const { db, logger } = services;
    const threshold = { pps: asStored(pps), bps: asStored(bps) };
    await db.transaction(async (tx) => {
      if (!(await systemLockTarget(tx, id))) throw notFound();
      await saveThreshold(tx, id, threshold);
    });
    logger.info({ target_id: id, pps, bps }, 'shield target threshold changed');
    return { data: await viewOf(services, await requireTarget(db, id)) };
  },
});

const asStored = (value: number | null) => (value === null ? null : BigInt(value));
