import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { type OpenApiDocument, resolve } from '../../server/http/openapi/document.ts';
import { operationsOf } from '../openapi/document-checks.ts';

export interface Exchange {
  method: string;
  /** With its query. */
  path: string;
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

const FILE = join(import.meta.dirname, '../../operator-openapi.json');
const document = JSON.parse(readFileSync(FILE, 'utf8')) as OpenApiDocument;
const ajv = new Ajv2020({ strict: false, allErrors: true });
formats.default(ajv);
ajv.addSchema(document, 'openapi');

/** A fixed path goes before one with a variable. */
const OPERATIONS = operationsOf(document)
  .map(({ name, operation }) => ({
    operation,
    pattern: new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`),
    variables: name.split('{').length,
  }))
  .sort((a, b) => a.variables - b.variables);
/** What is beside the API on its socket. */
const MONITORING = ['/healthz', '/readyz', '/metrics'];

const validators = new Map<object, ValidateFunction>();

function validator(schema: object): ValidateFunction {
  const known = validators.get(schema) ?? ajv.compile(withAbsolute(schema));
  validators.set(schema, known);
  return known;
}

/** The schema with its references led to the document. */
function withAbsolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/'));
}

/** Holds a reply of the operator's API against its description; throws an AssertionError that shows both. */
export function checkReply(exchange: Exchange): void {
  const path = exchange.path.split('?', 1)[0]!;
  if (MONITORING.includes(path)) return;
  const found = OPERATIONS.find(({ pattern }) => pattern.test(`${exchange.method} ${path}`));
  const response = found?.operation.responses[exchange.status];
  const place = `${exchange.method} ${exchange.path}: ${exchange.status} ${exchange.text.slice(0, 1_000)}`;
  if (found) assert.ok(response, `not a documented status of ${found.operation.operationId}\n${place}`);
  const { content } = response
    ? resolve(document, 'responses', response)
    : document.components.responses.NotFound!;
  const [type, { schema }] = Object.entries(content)[0]!;
  assert.equal(String(exchange.headers['content-type']).split(';', 1)[0], type, place);
  assert.equal(exchange.headers['cache-control'], 'no-store', place);
  const isValid = validator(schema);
  for (const value of valuesIn(type, exchange.text))
    assert.ok(isValid(value), `${ajv.errorsText(isValid.errors)}\n${place}`);
}

/** What the schema of a media type is of: the body, or each line of it. */
function valuesIn(type: string, text: string): unknown[] {
  if (type === 'application/json') return [JSON.parse(text)];
  const lines = text.split('\n').slice(0, -1);
  return type === 'text/csv' ? lines : lines.map((line) => JSON.parse(line));
}
