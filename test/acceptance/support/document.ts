import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** The API description, read as any client reads it: these tests know nothing else about the service's API. */

/** The parts of a JSON Schema that tests look at. */
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

/** An operation of the API, with everything that tests are generated from. */
export interface Operation {
  id: string;
  /** In capitals. */
  method: string;
  /** With `{name}` variables. */
  path: string;
  scope: string;
  /** The names of the path's variables, in order. */
  variables: string[];
  query: Parameter[];
  /** True if an Idempotency-Key is required. */
  idempotent: boolean;
  /** Schema and example of the body; undefined if the operation takes none. */
  body: { schema: Schema; example: unknown } | undefined;
  /** Documented error codes, without `ok`. */
  codes: string[];
  /** JSON pointers to the description of the response, by status. */
  responses: Map<number, string>;
}

export const REPOSITORY = join(import.meta.dirname, '../../..');
export const document = JSON.parse(readFileSync(join(REPOSITORY, 'openapi.json'), 'utf8')) as Document;

/** Resolves a JSON pointer such as `#/components/schemas/Vm`. */
export function lookUp<T>(pointer: string): T {
  const steps = pointer.split('/').slice(1);
  const value = steps.reduce<unknown>((node, step) => {
    const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
    return (node as Record<string, unknown> | undefined)?.[key];
  }, document);
  if (value === undefined) throw new Error(`openapi.json has no ${pointer}`);
  return value as T;
}

/** Returns `value`, or the object that it refers to. */
export function deref<T extends object>(value: T | Reference): T {
  return '$ref' in value && typeof value.$ref === 'string' ? lookUp<T>(value.$ref) : (value as T);
}

/** Encodes one step of a JSON pointer for a URI. */
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

export const PATHS = Map.groupBy(OPERATIONS, (operation) => operation.path);

export function operationOf(id: string): Operation {
  const operation = OPERATIONS.find((candidate) => candidate.id === id);
  if (!operation) throw new Error(`openapi.json has no operation ${id}`);
  return operation;
}

/** Returns the segments that other paths have where this prefix has a variable: `catalog` after `/v1/vm/`. */
function literalsAfter(prefix: string): string[] {
  return [...PATHS.keys()]
    .filter((path) => path.startsWith(prefix))
    .map((path) => path.slice(prefix.length).split('/')[0]!)
    .filter((segment) => !segment.startsWith('{'));
}

/** The pattern excludes fixed segments as values of variables. */
function toPattern(path: string): RegExp {
  const text = path.replaceAll('.', '\\.').replace(/\{\w+\}/g, (variable) => {
    const literals = literalsAfter(path.slice(0, path.indexOf(variable)));
    return literals.length > 0 ? `(?!(?:${literals.join('|')})(?:/|$))[^/]+` : '[^/]+';
  });
  return new RegExp(`^${text}$`);
}

const PATTERNS = [...PATHS.keys()].map((path) => ({ path, pattern: toPattern(path) }));

/** Returns the operation that a request is for, if any. `target` may have a query. */
export function match(method: string, target: string): Operation | undefined {
  return operationsAt(target).find((operation) => operation.method === method);
}

/** Returns the operations at the path of a request; they also document its 405. */
export function operationsAt(target: string): Operation[] {
  const path = target.split('?', 1)[0]!;
  const found = PATTERNS.find(({ pattern }) => pattern.test(path));
  return found ? PATHS.get(found.path)! : [];
}
