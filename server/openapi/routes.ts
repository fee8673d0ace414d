import type { FastifyInstance } from 'fastify';
import type { Endpoint } from '../endpoints/endpoint.ts';
import type { RouteConfig } from '../http/pipeline.ts';

const config: RouteConfig = { open: true };

/** Serves the API's description at /openapi.json and, for people, at /docs. Made when first asked for. */
export function registerReference(app: FastifyInstance, endpoints: readonly Endpoint[]): void {
  let rendered: ReturnType<typeof render> | undefined;
  const texts = () => (rendered ??= render(endpoints));
  app.get('/openapi.json', { config }, async (_request, reply) => {
    reply.header('content-type', 'application/json; charset=utf-8');
    return (await texts()).json;
  });
  app.get('/docs', { config }, async (_request, reply) => {
    const { page, csp } = await texts();
    reply.header('content-type', 'text/html; charset=utf-8').header('content-security-policy', csp);
    return page;
  });
}

async function render(endpoints: readonly Endpoint[]) {
  const { buildOpenApi, formatOpenApi } = await import('./build-openapi.ts');
  const { REFERENCE_PAGE_CSP, renderReferencePage } = await import('./reference/reference-page.ts');
  const document = buildOpenApi(endpoints);
  return { json: formatOpenApi(document), page: renderReferencePage(document), csp: REFERENCE_PAGE_CSP };
}
