import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { RouteConfig } from '../http/pipeline.ts';
import { buildOpenApi, formatOpenApi } from './build-openapi.ts';
import { REFERENCE_PAGE_CSP, renderReferencePage } from './reference/reference-page.ts';

const config: RouteConfig = { open: true };

/** Serves the API's description at /openapi.json and, for people, at /docs. Made when first asked for. */
export function registerReference(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  let texts: { json: string; page: string } | undefined;
  const render = () => {
    if (!texts) {
      const document = buildOpenApi(endpoints);
      texts = { json: formatOpenApi(document), page: renderReferencePage(document) };
    }
    return texts;
  };
  app.get('/openapi.json', { config }, async (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    return render().json;
  });
  app.get('/docs', { config }, async (_request, reply) => {
    reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', REFERENCE_PAGE_CSP);
    return render().page;
  });
}
