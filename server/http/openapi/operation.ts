import { isReadScope } from '../../access/scopes.ts';
import { ERROR_STATUS, type ErrorCode } from '../../platform/errors.ts';
import type { TObject } from '../../platform/schema.ts';
import type { Endpoint } from '../endpoint.ts';
import { EVERY_RESPONSE, headers, PAGINATION_EXAMPLE } from './components.ts';
import type { JsonSchema, Operation, Parameter, Reference, Response } from './document.ts';
import { errorResponse } from './error-responses.ts';
import { sample } from './sample.ts';
import type { SchemaRegistry } from './schema-registry.ts';

const EVERY_OPERATION: ErrorCode[] = [
  'invalid_request',
  'api_key_missing',
  'api_key_invalid',
  'api_key_expired',
  'ip_not_allowed',
  'scope_required',
  // Of the path, with another method: OpenAPI has no other place for what a path answers.
  'method_not_allowed',
  'uri_too_long',
  'validation_failed',
  'rate_limit_exceeded',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];
const WITH_BODY: ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];
const WITH_IDEMPOTENCY: ErrorCode[] = [
  'idempotency_key_missing',
  'idempotency_key_invalid',
  'idempotency_in_progress',
  'idempotency_key_reused',
];
/** A file of any content. */
const BINARY: JsonSchema = { type: 'string', format: 'binary' };

/** The order in which a status lists its codes. */
const ORDER = Object.keys(ERROR_STATUS) as ErrorCode[];

/** The OpenAPI operation of an endpoint. Its named schemas are left in the registry. */
export function buildOperation(endpoint: Endpoint, registry: SchemaRegistry): Operation {
  return {
    operationId: endpoint.operation,
    summary: endpoint.summary,
    ...(endpoint.description !== undefined && { description: endpoint.description }),
    tags: [endpoint.tag],
    'x-required-scope': endpoint.scope,
    security: [{ bearer: [endpoint.scope] }],
    parameters: parametersOf(endpoint, registry),
    ...(takesBody(endpoint) && { requestBody: requestBodyOf(endpoint, registry) }),
    responses: { 200: successOf(endpoint, registry), ...refusalsOf(endpoint) },
  };
}

function parametersOf(endpoint: Endpoint, registry: SchemaRegistry): (Parameter | Reference)[] {
  return [
    ...parametersIn('path', endpoint.params, registry),
    ...parametersIn('query', endpoint.query, registry),
    ...(endpoint.idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    { $ref: '#/components/parameters/RequestId' },
  ];
}

function parametersIn(
  place: 'path' | 'query',
  fields: TObject | undefined,
  registry: SchemaRegistry,
): Parameter[] {
  return Object.entries(fields?.properties ?? {}).map(([name, field]) => {
    const { description, ...schema } = registry.toJson(field);
    // An empty value is refused whatever its parameter, see `http/validation.ts`.
    if (place === 'query' && schema.type === 'string' && !schema.enum) schema.minLength ??= 1;
    const required = fields?.required?.includes(name) ?? false;
    return { name, in: place, required, ...(description !== undefined && { description }), schema };
  });
}

/** An action without fields takes `{}` all the same, so its body is read and checked. */
function takesBody({ method }: Endpoint): boolean {
  return method === 'POST' || method === 'PATCH';
}

function requestBodyOf({ body }: Endpoint, registry: SchemaRegistry): NonNullable<Operation['requestBody']> {
  const schema: JsonSchema = body
    ? registry.toJson(body)
    : { type: 'object', additionalProperties: false, description: 'Nothing: no body, or an empty object.' };
  const required = body !== undefined && ((body.required?.length ?? 0) > 0 || (body.minProperties ?? 0) > 0);
  return { required, content: { 'application/json': { schema, example: body ? sample(body) : {} } } };
}

function streamOf(endpoint: Endpoint, registry: SchemaRegistry): Response {
  const schema = registry.toJson(endpoint.data);
  return {
    description:
      'A stream of server-sent events. The schema is that of the `data` of each event, which is JSON.',
    headers: headers(...EVERY_RESPONSE),
    content: { 'text/event-stream': { schema, example: endpoint.example } },
  };
}

function successOf(endpoint: Endpoint, registry: SchemaRegistry): Response {
  if (endpoint.streams) return streamOf(endpoint, registry);
  const beside = Object.entries(endpoint.beside ?? {});
  const properties: Record<string, JsonSchema> = {
    data: registry.toJson(endpoint.data),
    ...(endpoint.paginated && { pagination: { $ref: '#/components/schemas/Pagination' } }),
    ...Object.fromEntries(beside.map(([name, schema]) => [name, registry.toJson(schema)])),
  };
  const example = {
    data: endpoint.example,
    ...(endpoint.paginated && { pagination: PAGINATION_EXAMPLE }),
    ...Object.fromEntries(beside.map(([name, schema]) => [name, sample(schema)])),
  };
  const schema = {
    type: 'object',
    additionalProperties: false,
    required: Object.keys(properties),
    properties,
  };
  return {
    description: 'Done.',
    headers: headers(
      ...EVERY_RESPONSE,
      ...(endpoint.idempotent ? ['Idempotent-Replayed'] : []),
      ...(endpoint.secret ? ['Cache-Control'] : []),
    ),
    content: {
      'application/json': { schema, example },
      ...Object.fromEntries((endpoint.representations ?? []).map((type) => [type, { schema: BINARY }])),
    },
  };
}

function refusalsOf(endpoint: Endpoint): Record<string, Response | Reference> {
  const codes = refusalCodes(endpoint);
  const byStatus = Object.groupBy(
    ORDER.filter((code) => codes.has(code)),
    (code) => ERROR_STATUS[code],
  );
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, some]) => [status, errorResponse(some ?? [])]),
  );
}

function refusalCodes(endpoint: Endpoint): Set<ErrorCode> {
  const named = endpoint.params !== undefined || endpoint.load !== undefined;
  return new Set<ErrorCode>([
    ...EVERY_OPERATION,
    ...(named ? (['not_found'] as const) : []),
    ...(endpoint.method === 'GET' ? [] : WITH_BODY),
    ...(isReadScope(endpoint.scope) ? [] : (['account_suspended'] as const)),
    ...(endpoint.paginated ? (['invalid_cursor'] as const) : []),
    ...(endpoint.idempotent ? WITH_IDEMPOTENCY : []),
    ...endpoint.errors,
  ]);
}
