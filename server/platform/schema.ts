import type { Type as TypeBox } from 'typebox';

export type { Static, TObject, TSchema } from 'typebox';

/** The part of TypeBox that the service's schemas use. */
type Vocabulary = Pick<
  typeof TypeBox,
  | 'Array'
  | 'Boolean'
  | 'Enum'
  | 'Integer'
  | 'Literal'
  | 'Number'
  | 'Object'
  | 'Optional'
  | 'Partial'
  | 'Record'
  | 'String'
  | 'Union'
  | 'Unsafe'
>;

type Schema = Record<string, unknown>;
type Properties = Record<string, Schema>;

/** Marks the schema of an optional property; not part of the JSON Schema. */
const OPTIONAL = Symbol('optional');

const plain = (type: string) => (options?: Schema) => ({ type, ...options });

const optional = (schema: Schema): Schema =>
  Object.defineProperty({ ...schema }, OPTIONAL, { value: true, enumerable: false });

function object(properties: Properties, options?: Schema): Schema {
  const required = Object.keys(properties).filter((name) => !(OPTIONAL in properties[name]!));
  return { type: 'object', ...(required.length > 0 && { required }), properties, ...options };
}

function partial({ properties }: { properties: Properties }, options?: Schema): Schema {
  const schemas = Object.entries(properties).map(([name, schema]) => [name, optional(schema)]);
  return object(Object.fromEntries(schemas), options);
}

/**
 * Builds JSON Schemas from which TypeScript types are derived, with TypeBox's names and types. Only its types are used:
 * the service needs just these few functions, and loading TypeBox's nearly four hundred modules took a tenth of each
 * start.
 */
export const Type = {
  Array: (items: Schema, options?: Schema) => ({ type: 'array', items, ...options }),
  Boolean: plain('boolean'),
  Enum: (values: readonly unknown[], options?: Schema) => ({ enum: values, ...options }),
  Integer: plain('integer'),
  Literal: (value: unknown, options?: Schema) => ({ type: typeof value, const: value, ...options }),
  Number: plain('number'),
  Object: object,
  Optional: optional,
  Partial: partial,
  Record: (_key: Schema, values: Schema, options?: Schema) => ({
    type: 'object',
    patternProperties: { '^.*$': values },
    ...options,
  }),
  String: plain('string'),
  Union: (anyOf: Schema[], options?: Schema) => ({ anyOf, ...options }),
  Unsafe: (schema: Schema) => schema,
} as unknown as Vocabulary;
