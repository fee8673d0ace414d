import type { FastifyInstance } from 'fastify';
import { Input } from '../../http/schemas.ts';
import { drainHost } from '../../jobs/reconcilers/drain-host.ts';
import { type OperatorServices, register } from '../../operator/operation.ts';
import { Type } from '../../platform/schema.ts';

/** A guest that takes longer to shut down than a customer's own stop may is ended by force. */
const DEFAULT_SECONDS = 90;
const MAX_SECONDS = 3_600;

const Drain = Input({
  timeout_seconds: Type.Optional(Type.Integer({ minimum: 1, maximum: MAX_SECONDS })),
});

/** Before a host goes down, and after it did not. */
export function registerDrainOperations(app: FastifyInstance, services: OperatorServices): void {
  register(app, services, {
    method: 'POST',
    path: '/host/drain',
    body: Drain,
    handle: async ({ body }) => ({
      data: await drainHost(services, body.timeout_seconds ?? DEFAULT_SECONDS),
    }),
  });

  register(app, services, {
    method: 'POST',
    path: '/host/resume',
    async handle() {
      services.guests.release();
      return { data: { resumed: true } };
    },
  });
}
