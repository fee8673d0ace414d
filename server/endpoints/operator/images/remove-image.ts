import { endpoint } from '../../../http/endpoint.ts';
import { Shape } from '../../../http/schemas.ts';
import { notFound } from '../../../platform/errors.ts';
import { Type } from '../../../platform/schema.ts';
import { imagesOf } from './images-of.ts';

export const removeImage = endpoint({
  audience: 'operator',
  operation: 'removeImage',
  method: 'POST',
  path: '/images/{name}/remove',
  tag: 'host',
  summary: 'Remove the name of an image',
  description: 'No new guests can be created from it. Existing guests keep their disks.',
  params: Type.Object({ name: Type.String({ description: 'Name of the image', examples: ['debian-12'] }) }),
  data: Shape({ name: Type.String(), removed: Type.Literal(true) }),
  errors: [],
  async handle({ params: { name }, services }) {
    if (!(await imagesOf(services).remove(name))) throw notFound();
    services.logger.info({ image: name }, 'image removed');
    return { data: { name, removed: true } };
  },
});
