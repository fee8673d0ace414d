import { endpoint } from '../../../http/endpoint.ts';
import { Type } from '../../../platform/schema.ts';
import { ImageShape, presentImage } from './image-shape.ts';
import { imagesOf } from './images-of.ts';

export const listImages = endpoint({
  audience: 'operator',
  operation: 'listImages',
  method: 'GET',
  path: '/images',
  tag: 'host',
  summary: 'List the images of this host, by name',
  data: Type.Array(ImageShape),
  errors: [],
  handle: async ({ services }) => ({ data: (await imagesOf(services).list()).map(presentImage) }),
});
