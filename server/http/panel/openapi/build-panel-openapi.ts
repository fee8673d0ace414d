import type { ErrorCode } from '../../../platform/errors.ts';
import { VERSION } from '../../../platform/version.ts';
import { HEADERS, headers, PAGINATION, PARAMETERS } from '../../openapi/components.ts';
import type { JsonSchema, OpenApiDocument, Operation, Response } from '../../openapi/document.ts';
import { WITH_IDEMPOTENCY } from '../../openapi/endpoint-operation.ts';
import { ErrorResponses } from '../../openapi/error-responses.ts';
import { buildOperation, replyOf, WITH_BODY } from '../../openapi/operation.ts';
import { SchemaRegistry } from '../../openapi/schema-registry.ts';
import type { PanelEndpoint } from '../endpoint.ts';
import { CONVENTIONS, SUMMARY, TAGS, TITLE } from './conventions.ts';
import { EVERY_RESPONSE, PANEL_ERRORS } from './errors.ts';
import { withUsedComponents } from './used-components.ts';

const EVERY_OPERATION: ErrorCode[] = [
  'invalid_request',
  'origin_not_allowed',
  'validation_failed',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
];
const BINARY: JsonSchema = { type: 'string', format: 'binary' };

/** Returns the OpenAPI 3.1 description of the operations that only the panel has, in the order of its endpoints. */
export function buildPanelOpenApi(endpoints: readonly PanelEndpoint[]): OpenApiDocument {
  const parts = { registry: new SchemaRegistry(), errors: new ErrorResponses(PANEL_ERRORS) };
  const paths: Record<string, Record<string, Operation>> = {};
  for (const endpoint of endpoints) {
    paths[endpoint.path] ??= {};
    paths[endpoint.path]![endpoint.method.toLowerCase()] = {
      ...buildOperation(
        endpoint,
        {
          admission: {
            'x-access': endpoint.access,
            ...(endpoint.confirm && { 'x-confirm': true }),
            security: endpoint.access === 'public' ? [] : [{ session: [] }],
          },
          parameters: endpoint.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : [],
          success: successOf(endpoint, parts.registry),
          codes: refusalCodes(endpoint),
        },
        parts,
      ),
    };
  }
  return withUsedComponents({
    openapi: '3.1.0',
    info: {
      title: TITLE,
      version: VERSION,
      summary: SUMMARY,
      description: CONVENTIONS,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/panel/api', description: 'This service.' }],
    security: [{ session: [] }],
    tags: Object.entries(TAGS).map(([name, { title, description }]) => ({
      name,
      'x-displayName': title,
      description,
    })),
    paths,
    components: {
      securitySchemes: {
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-vauban_session',
          description: 'The cookie of a session; without https it is called `vauban_session`.',
        },
      },
      headers: {
        ...HEADERS,
        'Cache-Control': {
          description: 'No reply may be kept.',
          required: true,
          schema: { type: 'string', const: 'no-store' },
        },
      },
      parameters: PARAMETERS,
      responses: parts.errors.components(),
      schemas: { ...parts.errors.schemas(), Pagination: PAGINATION, ...parts.registry.components() },
    },
  });
}

function successOf(endpoint: PanelEndpoint, registry: SchemaRegistry): Response {
  const names = [...EVERY_RESPONSE, ...(endpoint.idempotent ? ['Idempotent-Replayed'] : [])];
  const json = replyOf(endpoint, registry);
  const files = (endpoint.representations ?? []).map((type: string) => [type, { schema: BINARY }]);
  return endpoint.streams
    ? {
        description: 'A stream of server-sent events. The schema is that of the `data` of each.',
        headers: headers(...names),
        content: { 'text/event-stream': { schema: registry.toJson(endpoint.data) } },
      }
    : {
        description: 'Done.',
        headers: headers(...names),
        content: { 'application/json': json, ...Object.fromEntries(files) },
      };
}

function refusalCodes(endpoint: PanelEndpoint): Set<ErrorCode> {
  const { access, method } = endpoint;
  const hasRole = access !== 'public' && access !== 'person';
  const named = endpoint.params !== undefined || endpoint.load !== undefined;
  return new Set<ErrorCode>([
    ...EVERY_OPERATION,
    ...(access === 'public' ? [] : (['session_required'] as const)),
    ...(hasRole ? (['role_required'] as const) : []),
    ...(hasRole && method !== 'GET' && !endpoint.whileSuspended ? (['account_suspended'] as const) : []),
    ...(endpoint.confirm ? (['confirmation_required'] as const) : []),
    ...(named ? (['not_found'] as const) : []),
    ...(method === 'GET' ? [] : WITH_BODY),
    ...(endpoint.paginated ? (['invalid_cursor'] as const) : []),
    ...(endpoint.idempotent ? WITH_IDEMPOTENCY : []),
    ...endpoint.errors,
  ]);
}
