import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { formatOpenApi } from '../../server/http/openapi/build-openapi.ts';
import {
  type OpenApiDocument,
  type Operation,
  type Parameter,
  resolve,
} from '../../server/http/openapi/document.ts';
import { operationsOf } from './document-checks.ts';

export interface Exchange {
  method: string;
  /** Includes the query. */
  path: string;
  status: number;
  headers: Record<string, unknown>;
  text: string;
}

export interface Described {
  id: string;
  method: string;
  /** Contains `{name}` variables. */
  path: string;
  /** The example of a body; undefined if there is none. */
  body: unknown;
  query: Parameter[];
}

interface Matched extends Described {
  operation: Operation;
  pattern: RegExp;
}

/** A description of an API: its operations, and a check of whether a reply is a documented one. */
export class Description {
  readonly operations: readonly Described[];
  readonly #document: OpenApiDocument;
  /** Fixed paths are before paths with a variable. */
  readonly #byPath: readonly Matched[];
  readonly #ajv = formats.default(new Ajv2020({ strict: false, allErrors: true }));
  readonly #validators = new Map<object, ValidateFunction>();

  constructor(document: OpenApiDocument) {
    // As a reader of its file sees it.
    this.#document = JSON.parse(formatOpenApi(document)) as OpenApiDocument;
    this.#ajv.addSchema(this.#document, 'openapi');
    const matched = operationsOf(this.#document).map(({ name, operation }) =>
      matchedBy(this.#document, name, operation),
    );
    this.operations = matched;
    this.#byPath = matched.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length);
  }

  /** Returns whether the description has an operation for a request; `path` may have a query. */
  describes(method: string, path: string): boolean {
    return this.#find(method, path) !== undefined;
  }

  /** Throws an AssertionError that shows both sides if the reply is not a documented one. */
  check({ method, path, status, headers, text }: Exchange): void {
    const found = this.#find(method, path);
    const response = found?.operation.responses[status];
    const place = `${method} ${path}: ${status} ${text.slice(0, 1_000)}`;
    if (found) assert.ok(response, `not a documented status of ${found.id}\n${place}`);
    const { content } = response
      ? resolve(this.#document, 'responses', response)
      : this.#document.components.responses.NotFound!;
    const [type, { schema }] = Object.entries(content)[0]!;
    assert.equal(String(headers['content-type']).split(';', 1)[0], type, place);
    assert.equal(headers['cache-control'], 'no-store', place);
    const isValid = this.#validator(schema);
    for (const value of valuesIn(type, text))
      assert.ok(isValid(value), `${this.#ajv.errorsText(isValid.errors)}\n${place}`);
  }

  #find(method: string, path: string): Matched | undefined {
    const [asked] = path.split('?', 1);
    return this.#byPath.find(({ pattern }) => pattern.test(`${method} ${asked}`));
  }

  #validator(schema: object): ValidateFunction {
    const known = this.#validators.get(schema) ?? this.#ajv.compile(withAbsolute(schema));
    this.#validators.set(schema, known);
    return known;
  }
}

function matchedBy(document: OpenApiDocument, name: string, operation: Operation): Matched {
  const [method = '', path = ''] = name.split(' ');
  const pattern = new RegExp(`^${name.replace(/\{\w+\}/g, '[^/]+')}$`);
  const body = operation.requestBody?.content['application/json']?.example;
  const query = (operation.parameters ?? [])
    .map((parameter) => resolve(document, 'parameters', parameter))
    .filter((parameter) => parameter.in === 'query');
  return { id: operation.operationId, method, path, body, query, operation, pattern };
}

/** Returns the schema with its references resolved against the document. */
function withAbsolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"openapi#/components/'));
}

/**
 * Returns the values that the schema of a media type describes: the body, each line of it, or none for an archive or a
 * PDF.
 */
function valuesIn(type: string, text: string): unknown[] {
  if (type === 'application/json') return [JSON.parse(text)];
  const lines = text.split('\n').slice(0, -1);
  if (type === 'text/csv') return lines;
  return type === 'application/x-ndjson' ? lines.map((line) => JSON.parse(line)) : [];
}
