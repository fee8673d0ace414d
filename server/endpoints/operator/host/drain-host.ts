import { endpoint } from '../../../http/endpoint.ts';
import { Count, Input, Shape } from '../../../http/schemas.ts';
import { drainHost as drain } from '../../../jobs/reconcilers/drain-host.ts';
import { Type } from '../../../platform/schema.ts';

/** Longer than the default timeout of a customer's own stop; a guest that needs more time is switched off by force. */
const DEFAULT_SECONDS = 90;
const MAX_SECONDS = 3_600;

export const drainHost = endpoint({
  audience: 'operator',
  operation: 'drainHost',
  method: 'POST',
  path: '/host/drain',
  tag: 'host',
  summary: 'Shut down all guests before the host goes down',
  description: 'No guests are started until the service restarts or the host is resumed.',
  body: Input({
    timeout_seconds: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_SECONDS,
        description: `Seconds until guests are powered off; defaults to ${DEFAULT_SECONDS}`,
        examples: [DEFAULT_SECONDS],
      }),
    ),
  }),
  data: Shape(
    {
      shut_down: Count('Guests that shut down'),
      powered_off: Count('Guests that were powered off'),
      left: Type.Array(Type.String(), { description: 'Guests that are still on' }),
    },
    { $id: 'DrainedHost', description: 'Result for the guests of a host' },
  ),
  errors: [],
  handle: async ({ body, services }) => ({
    data: await drain(services, body.timeout_seconds ?? DEFAULT_SECONDS),
  }),
});
