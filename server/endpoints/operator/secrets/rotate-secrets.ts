import { endpoint } from '../../../http/endpoint.ts';
import { Count, Shape } from '../../../http/schemas.ts';
import { Type } from '../../../platform/schema.ts';
import { resealAll } from './reseal.ts';

export const rotateSecrets = endpoint({
  audience: 'operator',
  operation: 'rotateSecrets',
  method: 'POST',
  path: '/secrets/rotate',
  tag: 'service',
  summary: 'Reseal all secrets with the first installation key',
  data: Shape(
    {
      key_id: Type.String({ description: 'Identifier of the key that now seals everything' }),
      resealed: Count('Number of secrets that were sealed with another key'),
      unchanged: Count('Number of secrets already sealed with that key'),
      unreadable: Count('Number of secrets sealed with a key that is not configured'),
    },
    { $id: 'Resealed', description: 'Result of a rotation of the installation key' },
  ),
  errors: [],
  async handle({ services }) {
    const result = await resealAll(services);
    services.logger.info(result, 'secrets sealed with the first key');
    return { data: result };
  },
});
