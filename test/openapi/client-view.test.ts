import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ENDPOINTS } from '../../server/endpoints/customer/index.ts';
import { buildOpenApi } from '../../server/http/openapi/build-openapi.ts';
import { CUSTOMER_DESCRIPTION } from '../../server/http/openapi/customer.ts';
import { isReference, type JsonSchema, resolve } from '../../server/http/openapi/document.ts';
import { operationsOf } from './document-checks.ts';

/** The description from the view of a client generator: named types, errors that narrow, integers that fit. */

const document = buildOpenApi(CUSTOMER_DESCRIPTION, ENDPOINTS);
const operations = operationsOf(document);
const { schemas, responses } = document.components;

/** Yields a schema and everything within it, each with its place; references by name are not followed. */
function* parts(schema: JsonSchema, place: string): Generator<{ place: string; schema: JsonSchema }> {
  yield { place, schema };
  for (const [name, field] of Object.entries(schema.properties ?? {}))
    yield* parts(field, `${place}.${name}`);
  const { items, additionalProperties: values, anyOf = [], oneOf = [], allOf = [] } = schema;
  const inner = [items, typeof values === 'object' ? values : undefined, ...anyOf, ...oneOf, ...allOf];
  for (const child of inner) if (child) yield* parts(child, `${place}[]`);
}

/** Everything within a named schema, except for the schema itself. */
const insideNamed = Object.entries(schemas).flatMap(([name, schema]) => [...parts(schema, name)].slice(1));
/** The successful replies. The outermost object is the same everywhere: `data` and the fields next to it. */
const successes = operations.flatMap(({ operation }) =>
  Object.values(resolve(document, 'responses', operation.responses['200']!).content).flatMap(({ schema }) =>
    [...parts(schema, operation.operationId)].slice(isReference(schema) ? 0 : 1),
  ),
);
const queries = operations.flatMap(({ operation }) =>
  operation.parameters
    .map((parameter) => resolve(document, 'parameters', parameter))
    .flatMap(({ name, schema }) => [...parts(schema, `${operation.operationId}?${name}`)]),
);
const places = (some: { place: string }[]) => some.map(({ place }) => place);

test('every object of a reply or a request has a name', () => {
  const anonymous = [...insideNamed, ...successes].filter(({ schema }) => schema.properties !== undefined);
  assert.deepEqual(places(anonymous), []);
  for (const name of ['VmJob', 'VmJobOrder', 'Deleted']) assert.ok(schemas[name], name);
});

test('every request body has the name of its operation', () => {
  for (const { operation } of operations) {
    const schema = operation.requestBody?.content['application/json']?.schema;
    if (!schema) continue;
    const name = operation.operationId.replace(/^\w/, (letter) => letter.toUpperCase());
    assert.ok(
      [`#/components/schemas/${name}Request`, '#/components/schemas/EmptyRequest'].includes(schema.$ref!),
      operation.operationId,
    );
  }
});

test('every set of values has a name', () => {
  const anonymous = [...insideNamed, ...successes, ...queries].filter(({ schema }) => schema.enum);
  assert.deepEqual(places(anonymous), []);
  assert.deepEqual(schemas.VmStatus, { type: 'string', enum: schemas.VmStatus!.enum });
});

test('a remark about one use of a set of values is at that use', () => {
  const { query } = ENDPOINTS.find(({ operation }) => operation === 'listJobs')!;
  assert.equal(query!.properties.status.default, 'active');
  const { operation } = operations.find(({ operation }) => operation.operationId === 'listJobs')!;
  const status = operation.parameters.find((parameter) => 'name' in parameter && parameter.name === 'status');
  assert.deepEqual(status, {
    name: 'status',
    in: 'query',
    required: false,
    description: 'Which jobs',
    schema: { $ref: '#/components/schemas/JobFilter', default: 'active' },
  });
});

test('names are spelled one way', () => {
  assert.deepEqual(
    Object.keys(schemas).filter((name) => /[A-Z]{2}/.test(name)),
    [],
  );
});

test('bytes and money are integers of 64 bits', () => {
  const narrow = [...insideNamed, ...successes].filter(
    ({ place, schema }) =>
      /_(bytes|minor)$/.test(place) && [schema.type].flat().includes('integer') && schema.format !== 'int64',
  );
  assert.deepEqual(places(narrow), []);
  assert.equal(schemas.Wallet!.properties!.balance_minor!.format, 'int64');
});

test('the events of a run are one union that its type tells apart', () => {
  const { anyOf = [], discriminator } = schemas.AgentEvent!;
  const types = anyOf.map((branch) => [
    resolve(document, 'schemas', branch).properties!.type!.const,
    branch.$ref,
  ]);
  assert.equal(discriminator!.propertyName, 'type');
  assert.deepEqual(Object.entries(discriminator!.mapping), types);
});

test('every refusal is a component, which no other has the codes of, and narrows the code', () => {
  const used = new Set(
    operations.flatMap(({ operation }) =>
      Object.entries(operation.responses)
        .filter(([status]) => status !== '200')
        .map(([status, response]) => {
          assert.ok(isReference(response), `${operation.operationId} ${status}`);
          return response.$ref;
        }),
    ),
  );
  assert.deepEqual(
    [...used].sort(),
    Object.keys(responses)
      .map((name) => `#/components/responses/${name}`)
      .sort(),
  );
  const codes = Object.entries(responses).map(([name, { content }]) => {
    const [shape, narrowing] = content['application/json']!.schema.allOf!;
    assert.deepEqual(shape, { $ref: '#/components/schemas/Error' });
    const { required, properties } = narrowing!;
    assert.deepEqual([required, properties!.error!.required], [['error'], ['code']], name);
    return properties!.error!.properties!.code!.enum!.join(' ');
  });
  assert.equal(new Set(codes).size, codes.length);
});

test('every operation describes its effect and its answer when the service cannot be reached', () => {
  for (const { operation } of operations) {
    assert.ok(operation.description, operation.operationId);
    for (const status of ['405', '414', '431', '503'])
      assert.ok(operation.responses[status], `${operation.operationId} ${status}`);
  }
});
