import type { FastifyInstance } from 'fastify';
import type { Brand } from '../../config/brand.ts';
import { notFound } from '../../platform/errors.ts';
import { FOR_GOOD, isCurrent } from '../caching.ts';
import { COMMON_HEADERS } from '../page-headers.ts';
import type { RouteConfig } from '../pipeline.ts';

const config: RouteConfig = { open: true };

/**
 * Serves the hoster's logo. An SVG opened on its own is a page of our origin, so it may neither run scripts nor load
 * anything.
 */
export function registerLogo(app: FastifyInstance, { logo }: Pick<Brand, 'logo'>): void {
  app.get('/panel/logo', { config }, (request, reply) => {
    if (!logo) throw notFound();
    const etag = `"${logo.hash}"`;
    // Under a URL with its hash the logo can be cached forever; a page that is a fixed file does not know the hash.
    const hasHash = Object.hasOwn(request.query as object, logo.hash);
    reply.headers({
      ...COMMON_HEADERS,
      'content-type': logo.type,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      etag,
      'cache-control': hasHash ? FOR_GOOD : 'no-cache',
    });
    if (isCurrent(request.headers, etag)) return reply.code(304).send();
    return reply.send(logo.bytes);
  });
}
