import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { CustomerEndpoint } from '../../server/http/endpoint.ts';
import { buildOpenApi, formatOpenApi } from '../../server/http/openapi/build-openapi.ts';
import { CUSTOMER_DESCRIPTION } from '../../server/http/openapi/customer.ts';
import { type Operation, type Response, resolve } from '../../server/http/openapi/document.ts';
import { Input, Shape } from '../../server/http/schemas.ts';
import { ERRORS, type ErrorCode } from '../../server/platform/error-codes.ts';
import { Type } from '../../server/platform/schema.ts';
import { looseReplies, wrongExamples } from './document-checks.ts';
import { listVms, SAMPLES, startVm } from './samples.ts';

const document = buildOpenApi(CUSTOMER_DESCRIPTION, SAMPLES);
const sample: CustomerEndpoint = startVm;
const list = document.paths['/v1/vm']!.get!;
const create = document.paths['/v1/vm']!.post!;
const start = document.paths['/v1/vm/{id}/start']!.post!;

function reply(operation: Operation, status: number): Response {
  return resolve(document, 'responses', operation.responses[status]!);
}

/** Returns the error codes of an operation by status, according to its schemas. */
function codes(operation: Operation): Record<string, unknown> {
  const refusals = Object.keys(operation.responses).filter((status) => status !== '200');
  return Object.fromEntries(
    refusals.map((status) => {
      const { allOf } = reply(operation, Number(status)).content['application/json']!.schema;
      return [status, allOf?.[1]?.properties?.error?.properties?.code?.enum];
    }),
  );
}

test('the same endpoints give the same text', () => {
  assert.equal(formatOpenApi(buildOpenApi(CUSTOMER_DESCRIPTION, SAMPLES)), formatOpenApi(document));
  assert.match(formatOpenApi(document), /^\{\n {2}"openapi": "3.1.0",\n/);
});

test('an operation says its scope, for people and for tools', () => {
  assert.equal(create['x-required-scope'], 'vm:create');
  assert.deepEqual(create.security, [{ bearer: ['vm:create'] }]);
});

test('a named schema is written once and referred to, in lists and unions too', () => {
  const { Vm } = document.components.schemas;
  assert.deepEqual(reply(list, 200).content['application/json']!.schema.properties!.data, {
    type: 'array',
    items: { $ref: '#/components/schemas/Vm' },
  });
  assert.deepEqual(Vm!.properties!.active_job, {
    anyOf: [{ $ref: '#/components/schemas/Job' }, { type: 'null' }],
  });
  assert.doesNotMatch(formatOpenApi(document), /"(\$id|~\w+)"/);
});

test('two schemas cannot share a name', () => {
  const impostor = Shape({ id: Type.Integer() }, { $id: 'Vm' });
  const clash = () => buildOpenApi(CUSTOMER_DESCRIPTION, [listVms, { ...sample, data: impostor }]);
  assert.throws(clash, /Two different schemas carry the \$id "Vm"/);
});

test('maps are written in the dialect of OpenAPI 3.1', () => {
  const data = Shape({ byName: Type.Record(Type.String(), Type.Integer()) });
  const built = buildOpenApi(CUSTOMER_DESCRIPTION, [{ ...sample, data }]).paths['/v1/vm/{id}/start']!.post!
    .responses['200'] as Response;
  const { byName } = built.content['application/json']!.schema.properties!.data!.properties!;
  assert.deepEqual(byName, { type: 'object', additionalProperties: { type: 'integer' } });
});

test('the document of a service names its address, the committed one leaves it to the reader', () => {
  assert.deepEqual(buildOpenApi(CUSTOMER_DESCRIPTION, SAMPLES, 'https://api.example.com').servers, [
    { url: 'https://api.example.com', description: 'This service.' },
  ]);
  assert.equal(document.servers[0]!.url, '{base_url}');
});

test('a request is never exemplified by filler', () => {
  const body = Input({ name: Type.String(), count: Type.Optional(Type.Integer({ minimum: 1 })) });
  assert.throws(() => buildOpenApi(CUSTOMER_DESCRIPTION, [{ ...sample, body }]), /a text needs an example/);
});

test('an operation lists exactly the codes it can answer', () => {
  const usual = {
    400: ['invalid_request'],
    401: ['api_key_missing', 'api_key_invalid', 'api_key_expired', 'ip_not_allowed'],
    403: ['scope_required'],
    405: ['method_not_allowed'],
    414: ['uri_too_long'],
    422: ['validation_failed'],
    429: ['rate_limit_exceeded'],
    431: ['headers_too_large'],
    500: ['internal_error'],
    503: ['service_unavailable'],
  };
  const body = { 413: ['body_too_large'], 415: ['unsupported_media_type'] };
  assert.deepEqual(codes(list), { ...usual, 400: ['invalid_cursor', 'invalid_request'] });
  assert.deepEqual(codes(start), {
    ...usual,
    ...body,
    400: ['invalid_json', 'invalid_request'],
    404: ['not_found'],
    409: ['account_suspended', 'vm_locked', 'invalid_state', 'vm_suspended'],
  });
  assert.deepEqual(codes(create), {
    ...usual,
    ...body,
    400: ['idempotency_key_missing', 'idempotency_key_invalid', 'invalid_json', 'invalid_request'],
    402: ['insufficient_funds'],
    409: ['account_suspended', 'idempotency_in_progress', 'quota_exceeded'],
    422: ['validation_failed', 'unknown_plan', 'idempotency_key_reused'],
    503: ['service_unavailable', 'capacity_unavailable'],
  });
});

test('every code stands under its own status', () => {
  for (const operation of [list, create, start]) {
    for (const [status, some] of Object.entries(codes(operation))) {
      for (const code of some as ErrorCode[]) assert.equal(ERRORS[code].status, Number(status));
    }
  }
});

test('headers are only where the contract has them', () => {
  const usual = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
  const names = (operation: Operation, status: number) => Object.keys(reply(operation, status).headers);
  assert.deepEqual(names(list, 200), usual);
  assert.deepEqual(names(create, 200), [...usual, 'Idempotent-Replayed', 'Cache-Control']);
  assert.deepEqual(names(create, 401), [...usual, 'WWW-Authenticate']);
  assert.deepEqual(names(create, 429), [...usual, 'Retry-After']);
  assert.deepEqual(names(create, 503), usual);
});

test('Idempotency-Key is requested only where it is required', () => {
  const asksForKey = ({ parameters }: Operation) =>
    parameters
      .map((parameter) => resolve(document, 'parameters', parameter))
      .some(({ name }) => name === 'Idempotency-Key');
  assert.deepEqual([list, create, start].map(asksForKey), [false, true, false]);
});

test('an action without fields takes no body or an empty object', () => {
  const { required, content } = start.requestBody!;
  assert.equal(required, false);
  assert.equal(resolve(document, 'schemas', content['application/json']!.schema).additionalProperties, false);
  assert.deepEqual(content['application/json']!.example, {});
  assert.equal(list.requestBody, undefined);
});

test('every example fits its schema', () => {
  assert.deepEqual(wrongExamples(document), []);
  assert.equal(wrongExamples(buildOpenApi(CUSTOMER_DESCRIPTION, [{ ...sample, example: {} }])).length, 1);
});

test('every reply is closed', () => {
  assert.deepEqual(looseReplies(document), []);
  const open = Type.Object({ id: Type.Optional(Type.String()) });
  assert.equal(looseReplies(buildOpenApi(CUSTOMER_DESCRIPTION, [{ ...sample, data: open }])).length, 2);
});
