import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';

export const resumeHost = endpoint({
  audience: 'operator',
  operation: 'resumeHost',
  method: 'POST',
  path: '/host/resume',
  tag: 'host',
  summary: 'Start all guests that should be running, after a drain',
  data: Shape({ resumed: Type.Literal(true) }),
  errors: [],
  async handle({ services }) {
    services.guests.release();
    return { data: { resumed: true } };
  },
});
