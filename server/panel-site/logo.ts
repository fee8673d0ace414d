import type { FastifyInstance } from 'fastify';
import type { Brand } from '../config/brand.ts';
import type { RouteConfig } from '../http/pipeline.ts';
import { notFound } from '../platform/errors.ts';
import { COMMON_HEADERS } from './pages.ts';

const config: RouteConfig = { open: true };

/** Serves the hoster's logo. Opened by itself, an SVG is a page of our origin: it may run nothing and load nothing. */
export function registerLogo(app: FastifyInstance, { logo }: Pick<Brand, 'logo'>): void {
  app.get('/panel/logo', { config }, (_request, reply) => {
    if (!logo) throw notFound();
    reply.headers({
      ...COMMON_HEADERS,
      'content-type': logo.type,
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; sandbox",
      // Its address has a hash of its content.
      'cache-control': 'public, max-age=31536000, immutable',
    });
    return reply.send(logo.bytes);
  });
}
