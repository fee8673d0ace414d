import { isReadScope } from '../../access/scopes.ts';
import type { ErrorCode } from '../../platform/errors.ts';
import type { Endpoint } from '../endpoint.ts';
import { EVERY_RESPONSE, headers } from './components.ts';
import type { JsonSchema, Operation, Reference, Response } from './document.ts';
import type { ErrorResponses } from './error-responses.ts';
import { buildOperation, replyOf, WITH_BODY } from './operation.ts';
import type { SchemaRegistry } from './schema-registry.ts';

const EVERY_OPERATION: ErrorCode[] = [
  'invalid_request',
  'api_key_missing',
  'api_key_invalid',
  'api_key_expired',
  'ip_not_allowed',
  'scope_required',
  // Belongs to the path with another method, but OpenAPI has no place for the responses of a path.
  'method_not_allowed',
  'uri_too_long',
  'validation_failed',
  'rate_limit_exceeded',
  'headers_too_large',
  'internal_error',
  'service_unavailable',
];
export const WITH_IDEMPOTENCY: ErrorCode[] = [
  'idempotency_key_missing',
  'idempotency_key_invalid',
  'idempotency_in_progress',
  'idempotency_key_reused',
];
const BINARY: JsonSchema = { type: 'string', format: 'binary' };

/** Returns the OpenAPI operation of a customers' endpoint. */
export function describeEndpoint(
  endpoint: Endpoint,
  parts: { registry: SchemaRegistry; errors: ErrorResponses },
): Operation {
  const { scope } = endpoint;
  return buildOperation(
    endpoint,
    {
      admission: { 'x-required-scope': scope, security: [{ bearer: [scope] }] },
      parameters: parametersOf(endpoint),
      success: endpoint.streams ? streamOf(endpoint, parts.registry) : successOf(endpoint, parts.registry),
      codes: refusalCodes(endpoint),
    },
    parts,
  );
}

function parametersOf({ idempotent }: Endpoint): Reference[] {
  return [
    ...(idempotent ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    { $ref: '#/components/parameters/RequestId' },
  ];
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
  return {
    description: 'Done.',
    headers: headers(
      ...EVERY_RESPONSE,
      ...(endpoint.idempotent ? ['Idempotent-Replayed'] : []),
      ...(endpoint.secret ? ['Cache-Control'] : []),
    ),
    content: {
      'application/json': replyOf(endpoint, registry, endpoint.beside),
      ...Object.fromEntries((endpoint.representations ?? []).map((type) => [type, { schema: BINARY }])),
    },
  };
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
