import {
  componentName,
  isReference,
  type JsonSchema,
  type OpenApiDocument,
  type Operation,
  type Parameter,
  resolve,
} from '../server/http/openapi/document.ts';

/** Components that a typed client does not need. */
export const LEFT_OUT = ['EmptyRequest', 'Pagination'];

/** Returns the type of an operation's body; undefined if it has no fields. */
export function bodyOf(document: OpenApiDocument, { requestBody }: Operation): string | undefined {
  const schema = requestBody?.content['application/json']?.schema;
  if (!schema) return undefined;
  const { properties = {} } = resolve(document, 'schemas', schema) as JsonSchema;
  return Object.keys(properties).length > 0 ? typeOf(schema) : undefined;
}

/** Returns the type of an operation's query; undefined if it has none. */
export function queryOf(document: OpenApiDocument, { parameters }: Operation): string | undefined {
  const given = parameters
    .map((parameter) => resolve(document, 'parameters', parameter) as Parameter)
    .filter((parameter) => parameter.in === 'query');
  if (given.length === 0) return undefined;
  const properties = Object.fromEntries(given.map(({ name, schema }) => [name, schema]));
  const required = given.filter((parameter) => parameter.required).map(({ name }) => name);
  return typeOf({ type: 'object', properties, required, additionalProperties: false });
}

export function namedType(name: string, schema: JsonSchema): string {
  const comment = schema.description ? `/** ${schema.description} */\n` : '';
  if (schema.type !== 'object' || !schema.properties)
    return `${comment}export type ${name} = ${typeOf(schema)};`;
  const fields = fieldsOf(schema).map((field) => `  ${field};`);
  return `${comment}export interface ${name} {\n${fields.join('\n')}\n}`;
}

function fieldsOf({ properties = {}, required = [], additionalProperties }: JsonSchema): string[] {
  const fields = Object.entries(properties).map(
    ([name, schema]) => `${name}${required.includes(name) ? '' : '?'}: ${typeOf(schema)}`,
  );
  // JSON Schema leaves an object open unless it says otherwise.
  if (additionalProperties === false) return fields;
  return [...fields, '[name: string]: unknown'];
}

/** Returns a schema as TypeScript; throws for one without a type, rather than returning `unknown`. */
export function typeOf(schema: JsonSchema): string {
  if (isReference(schema)) return componentName(schema.$ref);
  if (schema.const !== undefined) return literal(schema.const);
  if (schema.enum) return schema.enum.map(literal).join(' | ');
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices) return choices.map(typeOf).join(' | ');
  if (Array.isArray(schema.type)) return schema.type.map((type) => typeOf({ ...schema, type })).join(' | ');
  switch (schema.type) {
    case 'integer':
    case 'number':
      return 'number';
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type;
    case 'array':
      return isUnion(schema.items!) ? `(${typeOf(schema.items!)})[]` : `${typeOf(schema.items!)}[]`;
    case 'object':
      return objectType(schema);
    default:
      throw new Error(`No type for the schema ${JSON.stringify(schema)}`);
  }
}

function objectType(schema: JsonSchema): string {
  if (schema.properties) return `{ ${fieldsOf(schema).join('; ')} }`;
  const { additionalProperties: values } = schema;
  return `Record<string, ${typeof values === 'object' ? typeOf(values) : 'unknown'}>`;
}

const isUnion = ({ type, enum: values = [], anyOf, oneOf }: JsonSchema) =>
  Array.isArray(type) || values.length > 1 || anyOf !== undefined || oneOf !== undefined;

const literal = (value: unknown) => (typeof value === 'string' ? `'${value}'` : JSON.stringify(value));
