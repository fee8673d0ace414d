import type { OpenApiDocument, Operation, Parameter, Response } from '../server/http/openapi/document.ts';
import { resolve } from '../server/http/openapi/document.ts';
import { CLIENT_NAMES } from './client-names.ts';
import { bodyOf, LEFT_OUT, namedType, queryOf, typeOf } from './emit-types.ts';

interface Method {
  resource: string;
  name: string;
  path: string;
  method: string;
  operation: Operation;
}

type Kind = 'read' | 'list' | 'write' | 'paid' | 'stream';

/**
 * Returns the customer API for `@vauban/client`: a type for each named schema, each operation as a method of a
 * resource, the place of each operation, and a class for each error code.
 */
export function emitClient(document: OpenApiDocument): string {
  const schemas = Object.entries(document.components.schemas)
    .filter(([name]) => !LEFT_OUT.includes(name) && name !== 'Error')
    .map(([name, schema]) => namedType(name, schema));
  const methods = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => methodOf(path, method, operation)),
  );
  const resources = Map.groupBy(methods, ({ resource }) => resource);
  const types = [...resources].map(
    ([resource, some]) => `  ${resource}: {\n${some.map((one) => signature(document, one)).join('\n')}\n  };`,
  );
  const places = methods.map((one) => `  ${one.operation.operationId}: ${place(document, one)},`);
  const codes = document.components.schemas.ErrorCode!.enum as string[];
  const classes = codes.map(
    (code) =>
      `/** An answer of \`${code}\`. */\nexport class ${className(code)} extends ApiError {\n  declare readonly code: '${code}';\n}`,
  );
  return [
    '// Made from the endpoints of the service by `npm run generate`: do not edit.',
    "import { ApiError } from './errors.ts';\nimport type { List } from './list.ts';\nimport type { PaidOptions, RequestOptions } from './options.ts';",
    ...schemas,
    `/** Every operation, as a method of its resource. */\nexport interface Resources {\n${types.join('\n')}\n}`,
    `/** Where each operation is, and how it is treated. */\nexport const OPERATIONS = {\n${places.join('\n')}\n} as const;`,
    ...classes,
    `/** The class of each code. */\nexport const ERROR_CLASSES: Record<ErrorCode, typeof ApiError> = {\n${codes.map((code) => `  ${code}: ${className(code)},`).join('\n')}\n};\n`,
  ].join('\n\n');
}

function methodOf(path: string, method: string, operation: Operation): Method {
  const [resource, name] = CLIENT_NAMES[operation.operationId]?.split('.') ?? [];
  if (!resource || !name)
    throw new Error(
      `The client has no name for ${operation.operationId}: add one to scripts/client-names.ts`,
    );
  return { resource, name, path, method, operation };
}

/** "insufficient_funds" becomes `InsufficientFundsError`; a code that ends in "error" gets no second suffix. */
function className(code: string): string {
  const name = code.replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
  return name.endsWith('Error') ? name : `${name}Error`;
}

function signature(document: OpenApiDocument, { name, path, method, operation }: Method): string {
  const kind = kindOf(document, method, operation);
  const inputs = [
    ...variablesOf(path).map((variable) => `${variable}: string`),
    ...inputOf(document, operation),
    `options?: ${kind === 'paid' ? 'PaidOptions' : 'RequestOptions'}`,
  ];
  return `    /** ${operation.summary}. */\n    ${name}(${inputs.join(', ')}): ${answer(document, kind, operation)};`;
}

/**
 * "/v1/vm/{id}/firewall/{rule_id}" takes `vmId` and `ruleId`: if the path says only `id`, the segment before it names
 * the resource.
 */
function variablesOf(path: string): string[] {
  const named: Record<string, string> = { vm: 'vmId', tenants: 'tenantId', targets: 'targetId' };
  const own: Record<string, string> = { rule_id: 'ruleId', rid: 'ruleId', sid: 'id' };
  return [...path.matchAll(/([^/]+)\/\{(\w+)\}/g)].map(
    ([, segment, variable]) => own[variable!] ?? named[segment!] ?? 'id',
  );
}

function inputOf(document: OpenApiDocument, operation: Operation): string[] {
  const body = bodyOf(document, operation);
  const isRequired = operation.requestBody?.required ? '' : '?';
  const query = queryOf(document, operation);
  const isQueryRequired = query && /[{;] \w+: /.test(query) ? '' : '?';
  return [
    ...(body ? [`body${isRequired}: ${body}`] : []),
    ...(query ? [`query${isQueryRequired}: ${query}`] : []),
  ];
}

function answer(document: OpenApiDocument, kind: Kind, operation: Operation): string {
  const { content } = resolve(document, 'responses', operation.responses['200']!) as Response;
  if (kind === 'stream') return `AsyncIterable<${typeOf(content['text/event-stream']!.schema)}>`;
  const { data, pagination, ...beside } = content['application/json']!.schema.properties!;
  if (!pagination) return `Promise<${typeOf(data!)}>`;
  const more = Object.entries(beside).map(([name, schema]) => `${name}: ${typeOf(schema)}`);
  return `List<${typeOf(data!.items!)}${more.length > 0 ? `, { ${more.join('; ')} }` : ''}>`;
}

function kindOf(document: OpenApiDocument, method: string, operation: Operation): Kind {
  const { content } = resolve(document, 'responses', operation.responses['200']!) as Response;
  if ('text/event-stream' in content) return 'stream';
  if (method === 'get') return content['application/json']!.schema.properties!.pagination ? 'list' : 'read';
  const headers = operation.parameters.map(
    (parameter) => resolve(document, 'parameters', parameter) as Parameter,
  );
  return headers.some(({ name }) => name === 'Idempotency-Key') ? 'paid' : 'write';
}

function place(document: OpenApiDocument, { resource, name, path, method, operation }: Method): string {
  const takes = bodyOf(document, operation) ? 'body' : queryOf(document, operation) ? 'query' : 'nothing';
  const parts = [resource, name, method.toUpperCase(), path, kindOf(document, method, operation), takes];
  return `[${parts.map((part) => `'${part}'`).join(', ')}]`;
}
