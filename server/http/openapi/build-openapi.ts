import type { Endpoint } from '../endpoint.ts';
import { HEADERS, PAGINATION, PARAMETERS } from './components.ts';
import type { Description } from './description.ts';
import type { Components, OpenApiDocument, Operation } from './document.ts';
import { describeEndpoint } from './endpoint-operation.ts';
import { ErrorResponses } from './error-responses.ts';
import { SchemaRegistry } from './schema-registry.ts';

/**
 * Returns the OpenAPI 3.1 description of those of the endpoints that `description` is about, in their order. The same
 * endpoints give the same document. With a base address, without the prefix of the paths, it describes the service
 * there; otherwise the reader fills in the address.
 */
export function buildOpenApi(
  description: Description,
  endpoints: readonly Endpoint[],
  baseUrl?: string,
): OpenApiDocument {
  const parts = { description, registry: new SchemaRegistry(), errors: new ErrorResponses(description) };
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of endpoints) {
    const { audience, path, method } = endpoint;
    if (audience !== description.audience || !path.startsWith(description.paths)) continue;
    paths[path] ??= {};
    paths[path][method.toLowerCase()] = describeEndpoint(endpoint, parts);
  }
  const { title, version, summary, conventions, server, security, securitySchemes } = description;
  return withUsedComponents({
    openapi: '3.1.0',
    info: {
      title,
      version,
      summary,
      description: conventions,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [baseUrl === undefined ? server : { url: baseUrl, description: 'This service.' }],
    security,
    tags: Object.entries(description.tags).map(([name, { title, description }]) => ({
      name,
      'x-displayName': title,
      description,
    })),
    paths,
    components: {
      securitySchemes,
      headers: { ...HEADERS, ...description.ownHeaders },
      parameters: PARAMETERS,
      responses: parts.errors.components(),
      schemas: { ...parts.errors.schemas(), Pagination: PAGINATION, ...parts.registry.components() },
    },
  });
}

/** Formats the document as it is committed. */
export function formatOpenApi(document: OpenApiDocument): string {
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** The kinds of components that are referred to by name. */
const KINDS = ['headers', 'parameters', 'responses', 'schemas'] as const satisfies (keyof Components)[];

/** Returns the document without shared components that nothing in it refers to. */
function withUsedComponents(document: OpenApiDocument): OpenApiDocument {
  const [, ...rest] = JSON.stringify(document).split('"#/components/');
  const used = new Set(rest.map((text) => text.slice(0, text.indexOf('"'))));
  const components = { ...document.components };
  let isPruned = false;
  for (const kind of KINDS) {
    const all = Object.entries(components[kind]);
    const kept = all.filter(([name]) => used.has(`${kind}/${name}`));
    isPruned ||= kept.length < all.length;
    Object.assign(components, { [kind]: Object.fromEntries(kept) });
  }
  // Components referred to only by unused ones are unused too.
  return isPruned ? withUsedComponents({ ...document, components }) : document;
}
