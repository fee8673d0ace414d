import type { JsonSchema, OpenApiDocument, Operation, Parameter } from '../server/http/openapi/document.ts';
import { resolve } from '../server/http/openapi/document.ts';

/** A field of an operation as a command-line option: its possible values and its meaning. */
interface Field {
  type: 'string' | 'integer' | 'boolean' | 'strings' | 'json';
  required?: true;
  nullable?: true;
  values?: unknown[];
  about?: string;
}

/** The command itself sets the parameters of pages. */
const OF_PAGES = ['limit', 'cursor'];

/**
 * Returns the inputs of the customer API's operations for `vauban`: the path's variables, and an option for each field.
 */
export function emitCli(document: OpenApiDocument): string {
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => {
      const fields = Object.fromEntries(fieldsOf(document, operation));
      const { summary, 'x-required-scope': scope } = operation;
      const variables = [...path.matchAll(/([^/]+)\/\{\w+\}/g)].map(([, segment]) => segment);
      return `  ${operation.operationId}: ${JSON.stringify({ summary, scope, variables, fields })},`;
    }),
  );
  return [
    '// Made from the endpoints of the service by `npm run generate`: do not edit.',
    "import type { OperationId } from './command.ts';\nimport type { Inputs } from './fields.ts';",
    `/** What each operation takes. */\nexport const INPUTS: Record<OperationId, Inputs> = {\n${operations.join('\n')}\n};\n`,
  ].join('\n\n');
}

function fieldsOf(document: OpenApiDocument, operation: Operation): [string, Field][] {
  const query = operation.parameters
    .map((parameter) => resolve(document, 'parameters', parameter) as Parameter)
    .filter((parameter) => parameter.in === 'query' && !OF_PAGES.includes(parameter.name))
    .map(({ name, schema, required, description }): [string, Field] => [
      name,
      fieldOf(document, { description, ...schema }, required),
    ]);
  const schema = operation.requestBody?.content['application/json']?.schema;
  const { properties = {}, required = [] } = schema
    ? (resolve(document, 'schemas', schema) as JsonSchema)
    : {};
  const body = Object.entries(properties).map(([name, one]): [string, Field] => [
    name,
    fieldOf(document, one, required.includes(name)),
  ]);
  return [...query, ...body];
}

function fieldOf(document: OpenApiDocument, schema: JsonSchema, required: boolean): Field {
  const named = resolve(document, 'schemas', schema) as JsonSchema;
  const types = [named.type ?? 'object'].flat();
  const about = (schema.description ?? named.description)?.replace(/\s+/g, ' ');
  return {
    type: typeOf(types, named),
    ...(required && { required }),
    ...(types.includes('null') && { nullable: true }),
    ...(named.enum && { values: named.enum }),
    ...(about && { about }),
  };
}

/** Fields with a structure are given as JSON. */
function typeOf(types: string[], { items, anyOf }: JsonSchema): Field['type'] {
  if (types.includes('array')) return items?.type === 'string' ? 'strings' : 'json';
  if (anyOf || types.includes('object')) return 'json';
  if (types.includes('integer')) return 'integer';
  return types.includes('boolean') ? 'boolean' : 'string';
}
