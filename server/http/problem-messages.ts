import type { ErrorObject } from 'ajv';

const TYPES: Record<string, string> = {
  string: 'a string',
  integer: 'a whole number',
  number: 'a number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  null: 'null',
};

const FORMATS: Record<string, string> = {
  'date-time': 'must be a time such as 2026-01-31T12:00:00Z',
  date: 'must be a date such as 2026-01-31',
  ipv4: 'must be an IPv4 address',
  ipv6: 'must be an IPv6 address',
};

const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** Messages for people about each keyword of our schemas. */
const WORDS: Record<string, (error: ErrorObject) => string> = {
  type: typeWanted,
  enum: ({ params }) =>
    `must be one of ${params.allowedValues.map((value: unknown) => `${value}`).join(', ')}`,
  minLength: ({ params: { limit } }) =>
    limit === 1 ? 'must not be empty' : `must have at least ${counted(limit, 'character')}`,
  maxLength: ({ params: { limit } }) => `must have at most ${counted(limit, 'character')}`,
  minimum: ({ params: { limit } }) => `must be at least ${limit}`,
  maximum: ({ params: { limit } }) => `must be at most ${limit}`,
  multipleOf: ({ params }) => `must be a multiple of ${params.multipleOf}`,
  minItems: ({ params: { limit } }) => `must have at least ${counted(limit, 'item')}`,
  maxItems: ({ params: { limit } }) => `must have at most ${counted(limit, 'item')}`,
  uniqueItems: () => 'must not contain duplicates',
  minProperties: ({ params: { limit } }) => `must have at least ${counted(limit, 'field')}`,
  format: ({ params }) => FORMATS[params.format] ?? 'is not well-formed',
};

function typeWanted({ params, data }: ErrorObject): string {
  const types = [params.type].flat() as string[];
  const isList = types.includes('array') || types.includes('object');
  if (Array.isArray(data) && !isList) return 'must be one value, given once';
  return `must be ${types.map((type) => TYPES[type] ?? type).join(' or ')}`;
}

/**
 * Returns a message about what a value must be. A schema whose rule is a pattern, or one of several forms, has its
 * own text: `x-expected`.
 */
export function explain(error: ErrorObject): string {
  const expected = expectedOf(error.parentSchema);
  const isOwnRule = ['pattern', 'format', 'anyOf', 'oneOf'].includes(error.keyword);
  if (isOwnRule && expected !== undefined) return expected;
  return WORDS[error.keyword]?.(error) ?? 'is not valid';
}

/** Returns a schema's own text; for a nullable schema, that of its other form. */
function expectedOf(schema: ErrorObject['parentSchema']): string | undefined {
  return schema?.['x-expected'] ?? schema?.anyOf?.[0]?.['x-expected'];
}
