import { Count, Shape } from '../../../http/schemas.ts';
import { operatorEndpoint } from '../../../operator/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { resealAll } from './reseal.ts';

export const rotateSecrets = operatorEndpoint({
  operation: 'rotateSecrets',
  method: 'POST',
  path: '/secrets/rotate',
  tag: 'service',
  summary: 'Seal everything with the first of the installation keys',
  data: Shape(
    {
      key_id: Type.String({ description: 'Of the key that everything is sealed with now' }),
      resealed: Count('What was under another key'),
      unchanged: Count('What was under that key already'),
      unreadable: Count('What is under a key that is not configured'),
    },
    { $id: 'Resealed', description: 'What became of everything that is sealed' },
  ),
  errors: [],
  async handle({ services }) {
    const result = await resealAll(services);
    services.logger.info(result, 'secrets sealed with the first key');
    return { data: result };
  },
});
