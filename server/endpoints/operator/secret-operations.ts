import type { FastifyInstance } from 'fastify';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { resealAll } from './secrets/reseal.ts';

/** The installation key. */
export function registerSecretOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/secrets/rotate',
    async handle({ services }) {
      const result = await resealAll(services);
      services.logger.info(result, 'secrets sealed with the first key');
      return { data: result };
    },
  });
}
