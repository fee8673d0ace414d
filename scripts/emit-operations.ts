import type { OpenApiDocument, Operation, Parameter, Response } from '../server/http/openapi/document.ts';
import { resolve } from '../server/http/openapi/document.ts';
import { bodyOf, LEFT_OUT, namedType, queryOf, typeOf } from './emit-types.ts';

/**
 * Returns an API for the panel and `vaubanctl`, by operation name: a type for each named schema, the input and output
 * of each operation, and its place. `name` is the prefix of the two tables' names. A schema without a type here is an
 * error, never `unknown`.
 */
export function emitOperations(document: OpenApiDocument, name: string): string {
  const schemas = Object.entries(document.components.schemas)
    .filter(([schema]) => !LEFT_OUT.includes(schema))
    .map(([schema, content]) => namedType(schema, content));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const types = operations.map(
    ({ operation }) => `  ${operation.operationId}: ${signature(document, operation)};`,
  );
  const places = operations.map(({ path, method, operation }) => {
    const place = [method.toUpperCase(), path, ...kindOf(document, operation)];
    return `  ${operation.operationId}: [${place.map((part) => `'${part}'`).join(', ')}],`;
  });
  return [
    '// Made from the endpoints of the service by `npm run generate`: do not edit.',
    ...schemas,
    `/** The input of each operation, and its output under \`data\`. */\nexport interface ${name}Operations {\n${types.join('\n')}\n}`,
    `/** The method and path of each operation; \`once\` if it requires an Idempotency-Key, \`list\` if it is read page by page. */\nexport const ${name.toUpperCase()}_OPERATIONS = {\n${places.join('\n')}\n} as const;\n`,
  ].join('\n\n');
}

function signature(document: OpenApiDocument, operation: Operation): string {
  const names = parametersOf(document, operation, 'path').map((parameter) => `${parameter.name}: string`);
  const query = queryOf(document, operation);
  const body = bodyOf(document, operation);
  const members = [
    ...(names.length > 0 ? [`params: { ${names.join('; ')} }`] : []),
    ...(query ? [`query: ${query}`] : []),
    ...(body ? [`body: ${body}`] : []),
    ...answer(document, operation),
  ];
  return `{ ${members.join('; ')} }`;
}

/** Returns `data`, plus `list` if it is paged; `line` for a stream; nothing if there is no response body. */
function answer(document: OpenApiDocument, { responses }: Operation): string[] {
  const success = Object.keys(responses).find((status) => status.startsWith('2'));
  const { content } = resolve(document, 'responses', responses[success!]!) as Response;
  const [type, media] =
    Object.entries(content ?? {}).find(([type]) => type === 'application/json') ??
    Object.entries(content ?? {})[0] ??
    [];
  if (!media) return ['data: null'];
  if (type !== 'application/json') return [`line: ${typeOf(media.schema)}`];
  const { data, pagination } = media.schema.properties ?? {};
  return [`data: ${data ? typeOf(data) : 'null'}`, ...(pagination ? ['list: true'] : [])];
}

function kindOf(document: OpenApiDocument, operation: Operation): ('once' | 'list')[] {
  if (answer(document, operation).includes('list: true')) return ['list'];
  const headers = parametersOf(document, operation, 'header');
  return headers.some(({ name }) => name === 'Idempotency-Key') ? ['once'] : [];
}

function parametersOf(
  document: OpenApiDocument,
  { parameters }: Operation,
  kind: Parameter['in'],
): Parameter[] {
  return parameters
    .map((parameter) => resolve(document, 'parameters', parameter) as Parameter)
    .filter((parameter) => parameter.in === kind);
}
