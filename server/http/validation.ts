import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { type ApiError, type FieldProblem, validationFailed } from '../platform/errors.ts';
import type { FieldCode } from '../platform/field-codes.ts';
import type { TObject } from '../platform/schema.ts';
import { isStorable } from '../platform/text.ts';
import type { AnyOperation } from './operation.ts';
import { explain } from './problem-messages.ts';

/** Maximum number of problems in one answer: enough to fix a request, bounded for a hostile one. */
const MAX_PROBLEMS = 20;
/** Characters shown of an unknown field's name, which is the caller's own text. */
const MAX_NAME = 64;
/** Digits of a number in a query: every number of up to 15 digits is exact. */
const DIGITS = /^[0-9]{1,15}$/;

const ajv = new Ajv({
  // Stops at the first problem, and checks sizes before items: a list of thousands of mistakes costs no more than a
  // list of one. If something is wrong, each field of a body is checked separately, see `problemsOf`.
  allErrors: false,
  // An error includes its schema, whose text explains it.
  verbose: true,
  useDefaults: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  // A field's schema is compiled a second time on its own, with the names it contains.
  addUsedSchema: false,
  keywords: ['x-expected', 'x-not-null'],
  // The schemas are ours. Checking them against the meta-schema and optimizing the generated code would take a third
  // of the first request's time.
  validateSchema: false,
  code: { optimize: false },
});
// ajv-formats exports its function as a CommonJS default.
(addFormats as unknown as (ajv: Ajv) => Ajv)(ajv);

type Schema = Record<string, unknown>;
type ObjectSchema = Schema & { properties: Record<string, Schema>; required?: string[] };
type Noun = 'query parameter' | 'field';

export interface InputChecks {
  /**
   * Returns a `validation_failed` error for these inputs, or undefined. Fills in defaults, converts the query's text
   * to numbers, and removes optional fields that are `null` from a customer's body
   * unless it is a PATCH. The cost is proportional to the number of values, and there is no I/O.
   */
  refusal(query: unknown, body: unknown): ApiError | undefined;
}

/**
 * Returns checks that are compiled on first use: compiling all of them would take a tenth of the service's start-up
 * time.
 */
export function compileChecks(
  endpoint: Pick<AnyOperation, 'audience' | 'method' | 'query' | 'body'>,
): InputChecks {
  const [querySchema, bodySchema] = [closed(endpoint.query), closed(endpoint.body)];
  const checkQuery = check(querySchema, 'query parameter');
  const checkBody = check(bodySchema, 'field');
  return {
    refusal(query, body) {
      readValues(querySchema, query as Record<string, unknown>);
      const empty = emptyValues(query as Record<string, unknown>);
      const problems = empty.length > 0 ? empty : checkQuery(query);
      if (problems.length === 0) problems.push(...wrongRange(query as Record<string, unknown>));
      // In a PATCH, `null` clears a field and an absent one stays as it is; so it is in forms of the panel.
      if (endpoint.audience === 'customer' && endpoint.method !== 'PATCH') dropNulls(bodySchema, body);
      const found = problems.length > 0 ? problems : checkBody(body);
      return found.length > 0 ? validationFailed(found.slice(0, MAX_PROBLEMS)) : undefined;
    },
  };
}

function closed(schema: TObject | undefined): ObjectSchema {
  return { type: 'object', properties: {}, ...withoutNames(schema), additionalProperties: false };
}

/**
 * The names are for the description only: ajv accepts no two schemas with one name, and an enum may occur in several
 * places. A nullable named object becomes one schema instead of two alternatives, so that a problem is reported for
 * its field.
 */
function withoutNames(schema: object = {}): object {
  return JSON.parse(JSON.stringify(schema), (key, value) => {
    if (key === '$id') return undefined;
    const [form, other] = (value?.anyOf ?? []) as Schema[];
    if (form?.type !== 'object' || other?.type !== 'null' || value.anyOf.length > 2) return value;
    const { anyOf: _, ...rest } = value;
    return { ...form, ...rest, type: ['object', 'null'] };
  });
}

/** A query string contains only text: converts integers, which are decimal digits and nothing else, and booleans. */
function readValues({ properties }: ObjectSchema, query: Record<string, unknown>): void {
  for (const [name, { type }] of Object.entries(properties)) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && DIGITS.test(text)) query[name] = Number(text);
    else if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
  }
}

/**
 * Removes optional fields that are `null` where their schema has no `null` of its own: many client libraries send a
 * field that is not set as `null`. A field that protects its caller (`x-not-null`) stays, and is refused: JavaScript
 * writes a number that is none as `null`, which must not buy without a bound.
 */
function dropNulls({ properties, required = [], items }: Partial<ObjectSchema>, value: unknown): void {
  // Lists of plain values are not read: they may be long.
  if (items && Array.isArray(value) && (items as Schema).properties)
    for (const item of value) dropNulls(items, item);
  if (!properties || !isRecord(value)) return;
  for (const [name, schema] of Object.entries(properties)) {
    const member = value[name];
    if (member === null && !required.includes(name) && !takesNull(schema) && !schema['x-not-null'])
      delete value[name];
    else dropNulls(schema, member);
  }
}

function takesNull({ type, anyOf, enum: values }: Schema): boolean {
  if (Array.isArray(anyOf)) return anyOf.some(takesNull);
  return [type, values].flat().some((one) => one === 'null' || one === null);
}

/** A filter without a value is a bug in the calling program, which would treat the full list as the answer. */
function emptyValues(query: Record<string, unknown>): FieldProblem[] {
  return Object.entries(query)
    .filter(([, value]) => value === '')
    .map(([field]) => ({ field, code: 'too_short', message: 'must not be empty' }));
}

/** Checks a query with `from` and `to`, which are instants wherever they occur. */
function wrongRange({ from, to }: Record<string, unknown>): FieldProblem[] {
  if (typeof from !== 'string' || typeof to !== 'string' || Date.parse(from) <= Date.parse(to)) return [];
  return [{ field: 'from', code: 'conflict', message: 'must not be later than to' }];
}

function check(schema: ObjectSchema, noun: Noun): (value: unknown) => FieldProblem[] {
  let whole: ValidateFunction | undefined;
  const fields = new Map<string, ValidateFunction>();
  const fieldCheck = (name: string): ValidateFunction => {
    const alone = { type: 'object', properties: { [name]: schema.properties[name]! } };
    const known = fields.get(name) ?? ajv.compile(alone);
    fields.set(name, known);
    return known;
  };

  /** Returns unknown and missing fields, and the first problem of each other field. */
  function problemsOf(value: Record<string, unknown>): FieldProblem[] {
    const problems: FieldProblem[] = [];
    for (const name of schema.required ?? []) {
      if (!Object.hasOwn(value, name))
        problems.push({ field: name, code: 'required', message: 'is required' });
    }
    for (const [name, member] of Object.entries(value)) {
      if (problems.length >= MAX_PROBLEMS) break;
      if (!Object.hasOwn(schema.properties, name)) problems.push(unknownField(name, noun));
      else if (!fieldCheck(name)({ [name]: member })) problems.push(toProblem(fieldCheck(name), noun));
    }
    return problems;
  }

  return (value) => {
    whole ??= ajv.compile(schema);
    if (whole(value)) return unstorableTexts(value, []);
    const problems = isRecord(value) ? problemsOf(value) : [];
    return problems.length > 0 ? problems : [toProblem(whole, noun)];
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  value !== null && typeof value === 'object' && !Array.isArray(value);

/** Returns strings that every schema accepts but the database would refuse. */
function unstorableTexts(value: unknown, path: string[]): FieldProblem[] {
  if (typeof value === 'string') {
    const message = 'must not contain NUL or an unpaired surrogate';
    return isStorable(value) ? [] : [{ field: path.join('.'), code: 'invalid_characters', message }];
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => unstorableTexts(member, [...path, name]));
}

function unknownField(path: string, noun: Noun): FieldProblem {
  const field = path.length > MAX_NAME ? `${path.slice(0, MAX_NAME)}…` : path;
  return { field, code: 'unknown_field', message: `is not a ${noun} of this operation` };
}

/** Converts the error of a failed check. If each of several forms failed, the last error is about the whole value. */
function toProblem({ errors }: ValidateFunction, noun: Noun): FieldProblem {
  const error = errors!.at(-1)!;
  const place = error.instancePath.split('/').slice(1);
  switch (error.keyword) {
    case 'additionalProperties':
      return unknownField([...place, error.params.additionalProperty].join('.'), noun);
    case 'required':
      return {
        field: [...place, error.params.missingProperty].join('.'),
        code: 'required',
        message: 'is required',
      };
    default:
      return {
        field: place.join('.') || 'body',
        code: KEYWORD_CODES[error.keyword]!,
        message: explain(error),
      };
  }
}

/** The code for the rule behind each keyword of our schemas. */
export const KEYWORD_CODES: Record<string, FieldCode> = {
  required: 'required',
  type: 'wrong_type',
  const: 'not_allowed',
  enum: 'not_allowed',
  anyOf: 'invalid_format',
  oneOf: 'invalid_format',
  format: 'invalid_format',
  pattern: 'invalid_format',
  minLength: 'too_short',
  maxLength: 'too_long',
  minItems: 'too_few',
  minProperties: 'too_few',
  maxItems: 'too_many',
  uniqueItems: 'duplicate',
  minimum: 'too_small',
  maximum: 'too_large',
  multipleOf: 'too_precise',
};
