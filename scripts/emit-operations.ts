import type { OpenApiDocument, Operation, Parameter, Response } from '../server/http/openapi/document.ts';
import { resolve } from '../server/http/openapi/document.ts';
import { bodyOf, LEFT_OUT, namedType, queryOf, typeOf } from './emit-types.ts';

/**
 * Returns an API for the panel, by operation name: a type for each named schema, the input and output of each
 * operation, and its place. `name` is the prefix of the two tables' names, `group` that of the operations, for APIs
 * that have names in common.
 */
export function emitOperations(
  document: OpenApiDocument,
  name: string,
  { group }: { group?: string } = {},
): string {
  const nameOf = ({ operationId }: Operation) => (group ? `'${group}.${operationId}'` : operationId);
  const schemas = Object.entries(document.components.schemas)
    .filter(([schema]) => !LEFT_OUT.includes(schema))
    .map(([schema, content]) => namedType(schema, content));
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  const types = operations.map(
    ({ operation }) => `  ${nameOf(operation)}: ${signature(document, operation)};`,
  );
  const places = operations.map(({ path, method, operation }) => {
    const place = [method.toUpperCase(), path, ...(isDoneOnce(document, operation) ? ['once'] : [])];
    return `  ${nameOf(operation)}: [${place.map((part) => `'${part}'`).join(', ')}],`;
  });
  return [
    '// Made from the endpoints of the service by `npm run generate`: do not edit.',
    ...schemas,
    `/** What each operation takes, and what it answers under \`data\`. */\nexport interface ${name}Operations {\n${types.join('\n')}\n}`,
    `/** Where each operation is; \`once\` where it takes an Idempotency-Key. */\nexport const ${name.toUpperCase()}_OPERATIONS = {\n${places.join('\n')}\n} as const;\n`,
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

function isDoneOnce(document: OpenApiDocument, operation: Operation): boolean {
  return parametersOf(document, operation, 'header').some(({ name }) => name === 'Idempotency-Key');
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
