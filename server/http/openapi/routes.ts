import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Config } from '../../config/config.ts';
import { baseUrl } from '../base-url.ts';
import { isCurrent } from '../caching.ts';
import type { CustomerEndpoint } from '../endpoint.ts';
import type { RouteConfig } from '../pipeline.ts';
import { negotiate, type PublishedText } from './published-texts.ts';

const config: RouteConfig = { open: true };

/**
 * Serves the API's description at /openapi.json. It contains the address it is served at, and is built on first
 * request.
 */
export function registerDescription(
  app: FastifyInstance,
  { config: settings, endpoints }: { config: Config; endpoints: readonly CustomerEndpoint[] },
): void {
  let rendered: ReturnType<typeof render> | undefined;
  const texts = () => (rendered ??= render(endpoints));
  app.get('/openapi.json', { config }, async (request, reply) => {
    const text = await (await texts()).get('json', publicBase(settings, request));
    reply.header('content-type', 'application/json; charset=utf-8');
    return send(request, reply, text);
  });
}

/** Returns the address to show. A `Host` with anything but a name or address and a port is not repeated. */
function publicBase(settings: Config, request: FastifyRequest): string {
  const base = baseUrl(settings, request);
  return settings.publicUrl || /^https?:\/\/[\w.:[\]-]+$/.test(base)
    ? base
    : `http://${settings.listen.host}:${settings.listen.port}`;
}

/** Sends the text in the best encoding that the caller accepts, or 304 if the caller already has it. */
function send(
  { headers }: FastifyRequest,
  reply: FastifyReply,
  { etag, text, compressed }: PublishedText,
): Buffer | undefined {
  reply.headers({ etag, vary: 'accept-encoding', 'cache-control': 'no-cache' });
  if (isCurrent(headers, etag)) {
    reply.code(304).send();
    return undefined;
  }
  const encoding = compressed && negotiate(headers['accept-encoding']);
  if (!encoding) return text;
  reply.header('content-encoding', encoding);
  return compressed[encoding];
}

async function render(endpoints: readonly CustomerEndpoint[]) {
  const { buildOpenApi } = await import('./build-openapi.ts');
  const { CUSTOMER_DESCRIPTION } = await import('./customer.ts');
  const { BASE_URL_PLACEHOLDER, PublishedTexts } = await import('./published-texts.ts');
  const document = buildOpenApi(CUSTOMER_DESCRIPTION, endpoints, BASE_URL_PLACEHOLDER);
  return new PublishedTexts({ json: JSON.stringify(document) });
}
