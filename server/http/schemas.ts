import { type Static, type TSchema, Type } from '../platform/schema.ts';

/**
 * Building blocks of the API's schemas. Each named schema has an `$id`; the OpenAPI document lists it under
 * `components.schemas` and refers to it wherever it is used.
 */

/** `T | null` in the compact JSON Schema form, `{"type": [T, "null"]}`. */
export function Nullable<S extends TSchema>(schema: S) {
  const { type } = schema as { type?: string; enum?: unknown[] };
  const { enum: values } = schema as { enum?: unknown[] };
  if (values && '$id' in schema) {
    const { description, ...named } = schema as { description?: string };
    return Type.Unsafe<Static<S> | null>({
      anyOf: [named, { type: 'null' }],
      ...(description && { description }),
    });
  }
  if (!type || '$id' in schema) return Type.Unsafe<Static<S> | null>({ anyOf: [schema, { type: 'null' }] });
  return Type.Unsafe<Static<S> | null>({
    ...schema,
    type: [type, 'null'],
    ...(values ? { enum: [...values, null] } : {}),
  });
}

/** A closed set of lower snake_case strings. Those of the customers' API have a name: see `SchemaRegistry`. */
export function Enum<const T extends readonly string[]>(values: T, options: object = {}) {
  return Type.Unsafe<T[number]>({ type: 'string', enum: [...values], ...options });
}

/** A response object: every documented field is present. Named ones become components. */
export function Shape<T extends Record<string, TSchema>>(properties: T, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

/** Input fields: unknown ones are refused, so that a mistyped name never passes silently. */
export function Input<T extends Record<string, TSchema>>(properties: T, options: object = {}) {
  return Type.Object(properties, { additionalProperties: false, ...options });
}

const exampleId = (prefix: string) => `${prefix}_06f2v3n7k8q1m5x9z4b7c2d0gh`;
export const Id = (prefix: string) =>
  Type.String({ description: `Identifier; begins with \`${prefix}_\``, examples: [exampleId(prefix)] });
/** The id of a resource in a path. Clients that build requests from the description start with the example. */
export const PathId = (prefix: string, description: string) =>
  Type.String({ description, examples: [exampleId(prefix)] });
export const Timestamp = (description = 'Instant, RFC 3339 in UTC') =>
  Type.String({ format: 'date-time', description, examples: ['2026-01-31T12:00:00.000Z'] });
export const Minor = (description: string) =>
  Type.Integer({ description: `${description}, in minor units of \`currency\`` });
export const Currency = Type.String({
  pattern: '^[A-Z]{3}$',
  description: 'ISO 4217 code',
  examples: ['EUR'],
});
export const Decimal = (description: string) =>
  Type.String({ pattern: '^-?[0-9]+(\\.[0-9]+)?$', description: `${description}, a decimal in major units` });
export const IpFamily = Type.Unsafe<4 | 6>({ $id: 'IpFamily', type: 'integer', enum: [4, 6] });
export const Count = (description: string) => Type.Integer({ minimum: 0, description });

/** The reply to a deletion that happens immediately. */
export const Deleted = Shape(
  { id: Type.String({ description: 'Identifier of the deleted object' }), deleted: Type.Boolean() },
  { $id: 'Deleted', description: 'Confirmation of a deletion' },
);

/**
 * A name chosen by a person: shown in one line, so neither blank nor with control characters. Trim it before storing
 * it.
 */
export const Name = (example: string, description = 'Trimmed; not blank') =>
  Type.String({
    minLength: 1,
    maxLength: 64,
    pattern: '^[^\\p{Cc}]*[^\\p{Cc}\\s][^\\p{Cc}]*$',
    'x-expected': 'a name that is not blank, without line breaks or other control characters',
    description,
    examples: [example],
  });

export const PageQuery = {
  limit: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, default: 50, description: 'Items per page' }),
  ),
  cursor: Type.Optional(
    Type.String({ minLength: 1, maxLength: 512, description: '`next_cursor` of the previous page' }),
  ),
};

export const VmParams = Type.Object({ id: PathId('vm', 'VM identifier') });

/** The interval in which a VM is moved that must be switched off for it. */
export const MoveWindowShape = Shape(
  { from_at: Timestamp(), to_at: Timestamp() },
  {
    $id: 'MoveWindow',
    description:
      'Between these times, VMs are switched off briefly and moved to another host. A VM that is ' +
      'switched off earlier is moved at once',
  },
);
