import { EdgeUnavailableError, SIMULATED_VECTORS } from '../../../edge/driver.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Enum, Id, Input, Shape, Timestamp } from '../../../http/schemas.ts';
import { ApiError } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { requireSimulated } from './require-simulated.ts';
import { requireTarget, TargetParams } from './target-shape.ts';

/** Ten times the size of the largest attacks on record. */
const MAX_PPS = 100_000_000;
const MAX_SECONDS = 86_400;

const attackFields = {
  vector: Enum(SIMULATED_VECTORS),
  pps: Type.Integer({ minimum: 1, maximum: MAX_PPS, description: 'Packets per second', examples: [200_000] }),
  seconds: Type.Integer({ minimum: 1, maximum: MAX_SECONDS, description: 'How long', examples: [120] }),
};

export const startAttack = endpoint({
  audience: 'operator',
  operation: 'startAttack',
  method: 'POST',
  path: '/targets/{id}/attack',
  tag: 'shield',
  summary: 'Attack a target on the simulated edge to test the Shield',
  params: TargetParams,
  body: Input(attackFields),
  data: Shape(
    { target_id: Id('tgt'), ...attackFields, started_at: Timestamp() },
    { $id: 'SimulatedAttack', description: 'A simulated attack' },
  ),
  errors: ['invalid_state'],
  async handle({ params: { id }, body, services }) {
    const attacks = requireSimulated(services);
    await requireTarget(services.db, id);
    // A target that was created just now may still be on its way to the edge.
    await services.shield.idle();
    await attacks.start(id, body).catch((error) => {
      if (!(error instanceof EdgeUnavailableError)) throw error;
      throw new ApiError('invalid_state', `The attack cannot be started: ${error.message}.`);
    });
    services.logger.info({ target_id: id, vector: body.vector, pps: body.pps }, 'simulated attack started');
    return { data: { target_id: id, ...body, started_at: services.clock.now() } };
  },
});
