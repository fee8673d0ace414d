import type { FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { ApiError } from '../../platform/errors.ts';
import { baseUrl } from '../base-url.ts';

/**
 * Refuses requests that another site made a browser send, because they would carry the cookie. A change must state that
 * it comes from our own pages; a read is refused only if the browser says otherwise, because some reads hand out
 * tickets.
 */
export function requireOwnOrigin(config: Config, request: FastifyRequest): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  const own = URL.parse(baseUrl(config, request))?.origin;
  const isForeign = (origin !== undefined && origin !== own) || (origin === undefined && !isRead);
  const isElsewhere = site !== undefined && site !== 'same-origin' && !(isRead && site === 'none');
  if (!isForeign && !isElsewhere) return;
  throw new ApiError('origin_not_allowed', 'Only pages of this service may make this request.', undefined, {
    origin,
    site,
  });
}
