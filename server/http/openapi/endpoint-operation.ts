import { isReadScope } from '../../access/scopes.ts';
import type { ErrorCode } from '../../platform/error-codes.ts';
import type { Endpoint, OperatorEndpoint } from '../endpoint.ts';
import { headers } from './components.ts';
import type { Description } from './description.ts';
import type { JsonSchema, Operation, Reference, Response } from './document.ts';
import type { ErrorResponses } from './error-responses.ts';
import { type Admission, buildOperation, replyOf } from './operation.ts';
import type { SchemaRegistry } from './schema-registry.ts';

/** Errors that every operation with a body can return. */
const WITH_BODY: readonly ErrorCode[] = ['invalid_json', 'body_too_large', 'unsupported_media_type'];
const WITH_IDEMPOTENCY: readonly ErrorCode[] = [
  'idempotency_key_missing',
  'idempotency_key_invalid',
  'idempotency_in_progress',
  'idempotency_key_reused',
];
const BINARY: JsonSchema = { type: 'string', format: 'binary' };

interface Parts {
  description: Description;
  registry: SchemaRegistry;
  errors: ErrorResponses;
}

type Transactional = Exclude<Endpoint, OperatorEndpoint>;

/** Returns the OpenAPI operation of an endpoint of any audience. */
export function describeEndpoint(endpoint: Endpoint, parts: Parts): Operation {
  const { description } = parts;
  const { admission, codes } = admissionTo(endpoint);
  const isIdempotent = endpoint.audience !== 'operator' && endpoint.idempotent;
  const parameters = [...(isIdempotent ? ['IdempotencyKey'] : []), ...description.everyParameter];
  return buildOperation(
    endpoint,
    {
      admission,
      parameters: parameters.map((name): Reference => ({ $ref: `#/components/parameters/${name}` })),
      success:
        endpoint.audience === 'operator' ? operatorSuccess(endpoint, parts) : successOf(endpoint, parts),
      codes: new Set([...description.everyOperation, ...codes, ...refusalCodes(endpoint)]),
    },
    parts,
  );
}

/** Returns how an operation says who may call it, and the codes with which others are refused. */
function admissionTo(endpoint: Endpoint): { admission: Admission; codes: ErrorCode[] } {
  switch (endpoint.audience) {
    case 'customer': {
      const { scope } = endpoint;
      return {
        admission: { 'x-required-scope': scope, security: [{ bearer: [scope] }] },
        codes: isReadScope(scope) ? [] : ['account_suspended'],
      };
    }
    case 'panel': {
      const { access, confirm, method, whileSuspended } = endpoint;
      const hasRole = access !== 'public' && access !== 'person';
      return {
        admission: {
          'x-access': access,
          ...(confirm && { 'x-confirm': true }),
          security: access === 'public' ? [] : [{ session: [] }],
        },
        codes: [
          ...(access === 'public' ? [] : (['session_required'] as const)),
          ...(hasRole ? (['role_required'] as const) : []),
          ...(hasRole && method !== 'GET' && !whileSuspended ? (['account_suspended'] as const) : []),
          ...(confirm ? (['confirmation_required'] as const) : []),
        ],
      };
    }
    case 'operator':
      return { admission: {}, codes: [] };
  }
}

function refusalCodes(endpoint: Endpoint): ErrorCode[] {
  const { params, method, paginated, errors } = endpoint;
  const { load, idempotent } = endpoint.audience === 'operator' ? {} : endpoint;
  const isNamed = params !== undefined || load !== undefined;
  return [
    ...(isNamed ? (['not_found'] as const) : []),
    ...(method === 'GET' ? [] : WITH_BODY),
    ...(paginated ? (['invalid_cursor'] as const) : []),
    ...(idempotent ? WITH_IDEMPOTENCY : []),
    ...errors,
  ];
}

function successOf(endpoint: Transactional, { description, registry }: Parts): Response {
  const { streams, data, example, idempotent, secret, beside, representations = [] } = endpoint;
  if (streams)
    return {
      description:
        'A stream of server-sent events. The schema is that of the `data` of each event, which is JSON.',
      headers: headers(...description.everyResponse),
      content: {
        'text/event-stream': { schema: registry.toJson(data), ...(example !== undefined && { example }) },
      },
    };
  return {
    description: 'Done.',
    headers: headers(
      ...description.everyResponse,
      ...(idempotent ? ['Idempotent-Replayed'] : []),
      ...(secret ? ['Cache-Control'] : []),
    ),
    content: {
      'application/json': replyOf(endpoint, registry, beside),
      ...Object.fromEntries(representations.map((type) => [type, { schema: BINARY }])),
    },
  };
}

function operatorSuccess(endpoint: OperatorEndpoint, { description, registry }: Parts): Response {
  const { file, data } = endpoint;
  return {
    description: file
      ? 'A file of any length; truncated if an error occurs midway. The schema is that of each line.'
      : 'Done.',
    headers: headers(...description.everyResponse),
    content: file
      ? { [file]: { schema: registry.toJson(data) } }
      : { 'application/json': replyOf(endpoint, registry) },
  };
}
