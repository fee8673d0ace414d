import { SPECIFICATION_VERSION } from '../../platform/version.ts';
import type { Endpoint } from '../endpoint.ts';
import { HEADERS, PAGINATION, PARAMETERS } from './components.ts';
import { CONVENTIONS, SUMMARY, TAGS, TITLE } from './conventions.ts';
import type { Components, OpenApiDocument, Operation, Server } from './document.ts';
import { describeEndpoint } from './endpoint-operation.ts';
import { ErrorResponses } from './error-responses.ts';
import { ERRORS } from './errors.ts';
import { SchemaRegistry } from './schema-registry.ts';

const ANY_SERVER: Server = {
  url: '{base_url}',
  description: "Your provider's service, or your own.",
  variables: { base_url: { default: 'http://127.0.0.1:8080', description: 'Base address, without /v1' } },
};

/**
 * Returns the OpenAPI 3.1 description of these endpoints, in their order. The same endpoints give the same document.
 * With a base address, without /v1, the document describes the service there; otherwise the reader fills in the
 * address.
 */
export function buildOpenApi(endpoints: readonly Endpoint[], baseUrl?: string): OpenApiDocument {
  const registry = new SchemaRegistry();
  const errors = new ErrorResponses(ERRORS);
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    paths[endpoint.path]![endpoint.method.toLowerCase()] = describeEndpoint(endpoint, { registry, errors });
  }
  return {
    openapi: '3.1.0',
    info: {
      title: TITLE,
      version: SPECIFICATION_VERSION,
      summary: SUMMARY,
      description: CONVENTIONS,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [baseUrl === undefined ? ANY_SERVER : { url: baseUrl, description: 'This service.' }],
    security: [{ bearer: [] }],
    tags: Object.entries(TAGS).map(([name, { title, description }]) => ({
      name,
      'x-displayName': title,
      description,
    })),
    paths,
    components: {
      ...sharedComponents(errors),
      schemas: { ...errors.schemas(), Pagination: PAGINATION, ...registry.components() },
    },
  };
}

/** Formats the document as it is committed. */
export function formatOpenApi(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

function sharedComponents(errors: ErrorResponses): Omit<Components, 'schemas'> {
  return {
    securitySchemes: {
      bearer: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'vk_…',
        description: 'An API key of the account.',
      },
    },
    headers: HEADERS,
    parameters: PARAMETERS,
    responses: errors.components(),
  };
}
