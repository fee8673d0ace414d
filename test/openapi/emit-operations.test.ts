import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { emitOperations } from '../../scripts/emit-operations.ts';
import { OPERATOR_ENDPOINTS } from '../../server/endpoints/operator/index.ts';
import { endpoint, type OperatorEndpoint } from '../../server/http/endpoint.ts';
import { buildOpenApi } from '../../server/http/openapi/build-openapi.ts';
import type { JsonSchema, OpenApiDocument } from '../../server/http/openapi/document.ts';
import { OPERATOR_DESCRIPTION } from '../../server/http/openapi/operator.ts';
import { Enum, Input, Nullable, PageQuery, Shape } from '../../server/http/schemas.ts';
import { Type } from '../../server/platform/schema.ts';

const handle = async () => ({ data: null });
const Thing = Shape(
  {
    id: Type.String(),
    size: Nullable(Type.Integer()),
    state: Nullable(Enum(['on', 'off'])),
    tags: Type.Array(Enum(['a', 'b'])),
    parts: Type.Array(Shape({ name: Type.String(), one: Type.Literal(true) })),
    by_name: Type.Record(Type.String(), Type.Number()),
  },
  { $id: 'Thing', description: 'What there is' },
);
const Whole = Shape({ thing: Nullable(Thing), things: Type.Array(Thing) }, { $id: 'Whole' });

const ENDPOINTS: OperatorEndpoint[] = [
  endpoint({
    audience: 'operator',
    operation: 'getWhole',
    method: 'GET',
    path: '/wholes/{id}',
    tag: 'host',
    summary: 'Read',
    params: Type.Object({ id: Type.String() }),
    query: Input({ format: Enum(['x', 'y']), part: Type.Optional(Type.Integer()) }),
    data: Type.Union([Whole, Thing]),
    errors: [],
    handle,
  }),
  endpoint({
    audience: 'operator',
    operation: 'listThings',
    method: 'GET',
    path: '/things',
    tag: 'host',
    summary: 'List',
    query: Input(PageQuery),
    data: Type.Array(Thing),
    paginated: true,
    errors: [],
    handle,
  }),
  endpoint({
    audience: 'operator',
    operation: 'makeThing',
    method: 'POST',
    path: '/things',
    tag: 'host',
    summary: 'Make',
    body: Input({ name: Type.String({ examples: ['web'] }), big: Type.Optional(Type.Boolean()) }),
    data: Thing,
    errors: [],
    handle,
  }),
  endpoint({
    audience: 'operator',
    operation: 'stopThings',
    method: 'POST',
    path: '/things/stop',
    tag: 'host',
    summary: 'Stop',
    data: Shape({ stopped: Type.Integer() }),
    errors: [],
    handle,
  }),
  endpoint({
    audience: 'operator',
    operation: 'exportThings',
    method: 'GET',
    path: '/things/export',
    tag: 'host',
    summary: 'Export',
    file: 'application/x-ndjson',
    data: Thing,
    errors: [],
    handle,
  }),
];

const document = buildOpenApi(OPERATOR_DESCRIPTION, ENDPOINTS);
const text = emitOperations(document, 'Operator');

test('vaubanctl and the panel have the types of the description', () => {
  const file = new URL('../../shared/api/operator.ts', import.meta.url);
  const current = emitOperations(buildOpenApi(OPERATOR_DESCRIPTION, OPERATOR_ENDPOINTS), 'Operator');
  assert.ok(
    readFileSync(file, 'utf8') === current,
    'shared/api/operator.ts is out of date: run `npm run generate` and commit the result',
  );
});

test('a named schema is an interface, with the allowed values of each field', () => {
  assert.equal(
    text.slice(text.indexOf('/** What there is */')).split('\n\n', 1)[0],
    `/** What there is */
export interface Thing {
  id: string;
  size: number | null;
  state: 'on' | 'off' | null;
  tags: ('a' | 'b')[];
  parts: { name: string; one: true }[];
  by_name: Record<string, number>;
}`,
  );
});

test('a named schema is referred to by its name', () => {
  assert.match(text, /export interface Whole \{\n {2}thing: Thing \| null;\n {2}things: Thing\[\];\n\}/);
});

test('each operation has its inputs, its reply and its place', () => {
  const lines = [
    "  getWhole: { params: { id: string }; query: { format: 'x' | 'y'; part?: number }; data: Whole | Thing };",
    '  listThings: { query: { limit?: number; cursor?: string }; data: Thing[]; list: true };',
    '  makeThing: { body: MakeThingRequest; data: Thing };',
    '  stopThings: { data: { stopped: number } };',
    '  exportThings: { line: Thing };',
    "  getWhole: ['GET', '/wholes/{id}'],",
    "  listThings: ['GET', '/things', 'list'],",
    "  makeThing: ['POST', '/things'],",
  ];
  for (const line of lines) assert.ok(text.includes(`\n${line}\n`), line);
  assert.match(text, /export interface MakeThingRequest \{\n {2}name: string;\n {2}big\?: boolean;\n\}/);
});

test('a schema without a type is an error', () => {
  const odd: JsonSchema = { type: 'object', additionalProperties: false, properties: { odd: {} } };
  const { components } = document;
  const unknown: OpenApiDocument = {
    ...document,
    components: { ...components, schemas: { ...components.schemas, Odd: odd } },
  };
  assert.throws(() => emitOperations(unknown, 'Operator'), /No type for the schema \{\}/);
});
