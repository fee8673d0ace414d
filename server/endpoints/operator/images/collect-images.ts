import { collectImages as collect } from '../../../compute/qemu/image-collection.ts';
import { Count, Shape } from '../../../http/schemas.ts';
import { operatorEndpoint } from '../../../operator/endpoint.ts';

export const collectImages = operatorEndpoint({
  operation: 'collectImages',
  method: 'POST',
  path: '/images/collect',
  tag: 'host',
  summary: 'Free the room of images that nothing needs',
  data: Shape(
    { files: Count('Files that were removed'), bytes: Count('Room that is free by that') },
    { $id: 'CollectedImages', description: 'Removed files' },
  ),
  errors: [],
  async handle({ services: { config, clock, logger } }) {
    const collected = await collect(config, clock.now());
    logger.info(collected, 'images collected');
    return { data: collected };
  },
});
