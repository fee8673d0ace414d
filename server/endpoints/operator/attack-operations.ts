import type { FastifyInstance } from 'fastify';
import { EdgeUnavailableError, SIMULATED_VECTORS, type SimulatedAttacks } from '../../edge/driver.ts';
import { Enum, Input } from '../../http/schemas.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { ApiError } from '../../platform/errors.ts';
import { Type } from '../../platform/schema.ts';
import { requireTarget } from './shield-operations.ts';

/** Ten times what the largest attacks on record had. */
const MAX_PPS = 100_000_000;
const MAX_SECONDS = 86_400;

const NewAttack = Input({
  vector: Enum(SIMULATED_VECTORS),
  pps: Type.Integer({ minimum: 1, maximum: MAX_PPS }),
  seconds: Type.Integer({ minimum: 1, maximum: MAX_SECONDS }),
});

function requireSimulated({ edge }: OperatorServices): SimulatedAttacks {
  if (edge.attacks) return edge.attacks;
  throw new ApiError(
    'invalid_state',
    `Attacks can be made on the simulated edge only; this service runs the ${edge.name} edge.`,
  );
}

/** Attacks of pretence, to see the shield work. */
export function registerAttackOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/targets/:id/attack',
    body: NewAttack,
    async handle({ id, body, services }) {
      const attacks = requireSimulated(services);
      await requireTarget(services.db, id);
      await attacks.start(id, body).catch((error) => {
        if (!(error instanceof EdgeUnavailableError)) throw error;
        throw new ApiError('invalid_state', `The attack cannot be made: ${error.message}.`);
      });
      services.logger.info({ target_id: id, vector: body.vector, pps: body.pps }, 'simulated attack started');
      return { data: { target_id: id, ...body, started_at: services.clock.now() } };
    },
  });

  register(app, services, {
    method: 'POST',
    path: '/targets/:id/attack/stop',
    async handle({ id, services }) {
      const attacks = requireSimulated(services);
      await requireTarget(services.db, id);
      return { data: { target_id: id, stopped: await attacks.stop(id) } };
    },
  });
}
