import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The API description, read as any client would: it is all that these tests know of the service's API. */

/** A JSON Schema, as far as tests look into one. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  examples?: unknown[];
  default?: unknown;
  minimum?: number;
  maxLength?: number;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema | false;
  anyOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
}

interface Reference {
  $ref: string;
}

export interface Response {
  headers: Record<string, { required?: boolean; schema: Schema } | Reference>;
  content: Record<string, { schema: Schema; examples?: Record<string, unknown> }>;
}

interface RawOperation {
  operationId: string;
  'x-required-scope': string;
  parameters: (Parameter | Reference)[];
  requestBody?: { content: Record<string, { schema: Schema; example?: unknown }> };
  responses: Record<string, Response | Reference>;
}

interface Document {
  paths: Record<string, Record<string, RawOperation>>;
}

/** One operation of the API, with what tests are generated from. */
export interface Operation {
  id: string;
  /** In capitals. */
  method: string;
  /** With `{name}` variables. */
  path: string;
  scope: string;
  /** Names of the path's variables, in order. */
  variables: string[];
  query: Parameter[];
  /** Idempotency-Key is required. */
  idempotent: boolean;
  /** Schema and example of the body; absent where it takes none. */
  body: { schema: Schema; example: unknown } | undefined;
  /** Documented error codes, without `ok`. */
  codes: string[];
  /** Where the document describes the response of a status, as a JSON pointer. */
  responses: Map<number, string>;
}

export const REPOSITORY = join(import.meta.dirname, '../../..');
export const document = JSON.parse(readFileSync(join(REPOSITORY, 'openapi.json'), 'utf8')) as Document;

/** What a JSON pointer such as `#/components/schemas/Vm` names. */
export function lookUp<T>(pointer: string): T {
  const steps = pointer.split('/').slice(1);
  const value = steps.reduce<unknown>((node, step) => {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return (node as Record<string, unknown> | undefined)?.[key];
  }, document);
  if (value === undefined) throw new Error(`openapi.json has no ${pointer}`);
  return value as T;
}

/** What stands for `value`: itself, or what it refers to. */
export function deref<T extends object>(value: T | Reference): T {
  return '$ref' in value && typeof value.$ref === 'string' ? lookUp<T>(value.$ref) : (value as T);
}

/** One step of a JSON pointer, as it stands in a URI. */
const step = (key: string) => encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'));

function toOperation(path: string, method: string, raw: RawOperation): Operation {
  const parameters = raw.parameters.map((parameter) => deref(parameter));
  const body = raw.requestBody?.content['application/json'];
  const responses = Object.entries(raw.responses).map(([status, response]): [number, string] => {
    const here = `#/paths/${step(path)}/${method}/responses/${status}`;
    return [Number(status), '$ref' in response ? response.$ref : here];
  });
  return {
    id: raw.operationId,
    method: method.toUpperCase(),
    path,
    scope: raw['x-required-scope'],
    variables: [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!),
    query: parameters.filter((parameter) => parameter.in === 'query'),
    idempotent: parameters.some(({ name, required }) => name === 'Idempotency-Key' && required),
    body: body && { schema: deref(body.schema), example: body.example },
    codes: responses.flatMap(([, pointer]) => codesOf(pointer)),
    responses: new Map(responses),
  };
}

function codesOf(pointer: string): string[] {
  const { examples } = lookUp<Response>(pointer).content['application/json'] ?? {};
  return Object.keys(examples ?? {});
}

/** Every operation of the API, in the document's order. */
export const OPERATIONS: readonly Operation[] = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, raw]) => toOperation(path, method, raw)),
);

/** Paths with their methods. */
export const PATHS = Map.groupBy(OPERATIONS, (operation) => operation.path);

export function operationOf(id: string): Operation {
  const operation = OPERATIONS.find((candidate) => candidate.id === id);
  if (!operation) throw new Error(`openapi.json has no operation ${id}`);
  return operation;
}

/** The segments that other paths have where this prefix has a variable: `catalog` after `/v1/vm/`. */
function literalsAfter(prefix: string): string[] {
  return [...PATHS.keys()]
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length).split('/')[0]!)
    .filter((segment) => !segment.startsWith('{'));
}

/** A fixed segment is never the value of a variable. */
function toPattern(path: string): RegExp {
  const text = path.replaceAll('.', '\\.').replace(/\{\w+\}/g, (variable) => {
    const literals = literalsAfter(path.slice(0, path.indexOf(variable)));
    return literals.length > 0 ? `(?!(?:${literals.join('|')})(?:/|$))[^/]+` : '[^/]+';
  });
  return new RegExp(`^${text}$`);
}

const PATTERNS = [...PATHS.keys()].map((path) => ({ path, pattern: toPattern(path) }));

/** The operation that a request is for, if any. `target` may have a query. */
export function match(method: string, target: string): Operation | undefined {
  return operationsAt(target).find((operation) => operation.method === method);
}

/** The operations of the path of a request, which are also those that document its 405. */
export function operationsAt(target: string): Operation[] {
  const path = target.split('?', 1)[0]!;
  const found = PATTERNS.find(({ pattern }) => pattern.test(path));
  return found ? PATHS.get(found.path)! : [];
}
