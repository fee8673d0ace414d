import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { deref, document, lookUp, match, type Operation, operationsAt, type Response } from './document.ts';
import type { Reply, Request } from './transport.ts';

const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, 'openapi');
/** Headers are text; this coerces numbers before checking them against their schema. */
const headerAjv = new Ajv2020({ strict: false, coerceTypes: true });

const validators = new Map<string, ValidateFunction>();

function validator(pointer: string): ValidateFunction {
  const known = validators.get(pointer);
  if (known) return known;
  const validate = ajv.compile({ $ref: `openapi${pointer}` });
  validators.set(pointer, validate);
  return validate;
}

/** The possible errors of a request that matches no operation. */
const WITHOUT_OPERATION: readonly string[] = [
  'api_key_missing',
  'api_key_invalid',
  'api_key_expired',
  'ip_not_allowed',
  'invalid_request',
  'not_found',
  'uri_too_long',
  'headers_too_large',
  'rate_limit_exceeded',
];

/**
 * Checks a reply against the API's promises: it matches openapi.json (status, body, headers) and has everything that
 * each response must have, and nothing that none may have. Throws an AssertionError with both sides of the exchange.
 * Returns the error code; undefined for a success.
 */
export function checkReply(request: Request, reply: Reply): string | undefined {
  const operation = match(request.method, request.target);
  try {
    assert.notEqual(reply.status, 500, 'a bug');
    checkHeaders(reply);
    if (request.method === 'HEAD') return undefined;
    if (operation && isStream(operation, reply)) {
      checkStream(operation, reply);
      return undefined;
    }
    assert.match(String(reply.headers['content-type']), /^application\/json; charset=utf-8$/);
    const body: unknown = JSON.parse(reply.text);
    if (operation) checkDocumented(operation, reply, body);
    else if (reply.status === 405) checkDocumented(operationsAt(request.target)[0]!, reply, body);
    else checkUndocumented(reply, body);
    return (body as { error?: { code: string } }).error?.code;
  } catch (error) {
    throw new assert.AssertionError({ message: explain(request, reply, operation, error as Error) });
  }
}

function checkHeaders({ status, headers }: Reply): void {
  assert.match(String(headers['x-request-id']), /^[A-Za-z0-9._-]{1,64}$/, 'X-Request-Id');
  for (const name of ['limit', 'remaining', 'reset']) {
    assert.match(String(headers[`x-ratelimit-${name}`]), /^\d{1,16}$/, `X-RateLimit-${name}`);
  }
  const wait = headers['retry-after'];
  if (status === 429) assert.match(String(wait), /^[1-9]\d*$/, 'Retry-After on 429');
  else assert.equal(wait, undefined, 'Retry-After only on 429');
  const cors = Object.keys(headers).filter((name) => name.startsWith('access-control-'));
  assert.deepEqual(cors, [], 'CORS headers');
}

function checkDocumented(operation: Operation, { status, headers }: Reply, body: unknown): void {
  const pointer = operation.responses.get(status);
  assert.ok(pointer, `status ${status} is not documented for ${operation.id}`);
  const response = lookUp<Response>(pointer);
  const validate = validator(`${pointer}/content/application~1json/schema`);
  assert.ok(validate(body), `body: ${ajv.errorsText(validate.errors)}`);
  for (const [name, header] of Object.entries(response.headers)) {
    const { required = false, schema } = deref(header);
    const value = headers[name.toLowerCase()];
    if (value === undefined) assert.ok(!required, `header ${name} is missing`);
    else assert.ok(headerAjv.validate(schema, value), `header ${name}: ${headerAjv.errorsText()}`);
  }
}

const isStream = (operation: Operation, { status }: Reply): boolean => {
  const pointer = operation.responses.get(status);
  return pointer !== undefined && 'text/event-stream' in lookUp<Response>(pointer).content;
};

/** Returns the data of each event of a complete event stream. */
export function eventsOf({ text }: Pick<Reply, 'text'>): Record<string, unknown>[] {
  const blocks = text.split('\n\n').filter((block) => block !== '' && !block.startsWith(':'));
  return blocks.map((block) => JSON.parse(/^data: (.*)$/m.exec(block)![1]!) as Record<string, unknown>);
}

function checkStream(operation: Operation, reply: Reply): void {
  assert.match(String(reply.headers['content-type']), /^text\/event-stream; charset=utf-8$/);
  assert.equal(reply.headers['cache-control'], 'no-store');
  const validate = validator(`${operation.responses.get(200)}/content/text~1event-stream/schema`);
  for (const event of eventsOf(reply))
    assert.ok(validate(event), `${JSON.stringify(event)}: ${ajv.errorsText(validate.errors)}`);
}

function checkUndocumented({ status }: Reply, body: unknown): void {
  const validate = validator('#/components/schemas/Error');
  assert.ok(validate(body), `body: ${ajv.errorsText(validate.errors)}`);
  const { code } = (body as { error: { code: string } }).error;
  assert.ok(WITHOUT_OPERATION.includes(code), `${status} ${code} for a path that is no operation`);
}

function explain(request: Request, reply: Reply, operation: Operation | undefined, cause: Error): string {
  const sent = request.body === undefined ? '' : `\n  ${String(request.body).slice(0, 500)}`;
  return [
    `${cause.message.trim()}`,
    `> ${request.method} ${request.target.slice(0, 300)} (${operation?.id ?? 'no operation'})${sent}`,
    `< ${reply.status} ${JSON.stringify(reply.headers)}`,
    `  ${reply.text.slice(0, 1000)}`,
  ].join('\n');
}
