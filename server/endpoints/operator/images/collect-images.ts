import { collectImages as collect } from '../../../compute/qemu/images/image-collection.ts';
import { endpoint } from '../../../http/endpoint.ts';
import { Count, Shape } from '../../../http/schemas.ts';

export const collectImages = endpoint({
  audience: 'operator',
  operation: 'collectImages',
  method: 'POST',
  path: '/images/collect',
  tag: 'host',
  summary: 'Delete image files that nothing needs',
  data: Shape(
    { files: Count('Number of removed files'), bytes: Count('Bytes freed') },
    { $id: 'CollectedImages', description: 'Removed files' },
  ),
  errors: [],
  async handle({ services: { config, clock, logger } }) {
    const collected = await collect(config, clock.now());
    logger.info(collected, 'images collected');
    return { data: collected };
  },
});
