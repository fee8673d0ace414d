import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { type ApiError, type FieldProblem, validationFailed } from '../platform/errors.ts';
import type { FieldCode } from '../platform/field-codes.ts';
import type { TObject } from '../platform/schema.ts';
import { isStorable } from '../platform/text.ts';
import type { AnyOperation } from './operation.ts';
import { explain } from './problem-messages.ts';

/** Problems named in one answer: enough to mend a request, bounded for a hostile one. */
const MAX_PROBLEMS = 20;
/** Characters shown of the name of an unknown field, which is the caller's own text. */
const MAX_NAME = 64;
/** Digits of a number in a query: as many as every number of them is exact. */
const DIGITS = /^[0-9]{1,15}$/;

const ajv = new Ajv({
  // The first problem ends it, and sizes are looked at before items: a list of thousands of mistakes costs as little
  // as a list of one. Each field of a body is checked by itself when something is wrong, see `problemsOf`.
  allErrors: false,
  // A problem carries its schema, whose words explain it.
  verbose: true,
  useDefaults: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  // A field's schema is compiled again by itself, with the names that it carries.
  addUsedSchema: false,
  keywords: ['x-expected'],
  // The schemas are ours. To check them against their own schema, and to polish what is made of them, would be a
  // third of the first request's time.
  validateSchema: false,
  code: { optimize: false },
});
// ajv-formats ships its function as a CommonJS default.
(addFormats as unknown as (ajv: Ajv) => Ajv)(ajv);

type Schema = Record<string, unknown>;
type ObjectSchema = Schema & { properties: Record<string, Schema>; required?: string[] };
type Noun = 'query parameter' | 'field';

/** Checks of an endpoint's inputs. */
export interface InputChecks {
  /**
   * What refuses these inputs, a `validation_failed`, or undefined. Fills in defaults, and reads the numbers of the
   * query from its text. Costs no more than the values that there are, and does no I/O.
   */
  refusal(query: unknown, body: unknown): ApiError | undefined;
}

/** Compiled once, when first needed: compiling them all would be a tenth of the service's start. */
export function compileChecks(endpoint: Pick<AnyOperation, 'query' | 'body'>): InputChecks {
  const [querySchema, bodySchema] = [closed(endpoint.query), closed(endpoint.body)];
  const checkQuery = check(querySchema, 'query parameter');
  const checkBody = check(bodySchema, 'field');
  return {
    refusal(query, body) {
      readValues(querySchema, query as Record<string, unknown>);
      const empty = emptyValues(query as Record<string, unknown>);
      const problems = empty.length > 0 ? empty : checkQuery(query);
      if (problems.length === 0) problems.push(...wrongRange(query as Record<string, unknown>));
      const found = problems.length > 0 ? problems : checkBody(body);
      return found.length > 0 ? validationFailed(found.slice(0, MAX_PROBLEMS)) : undefined;
    },
  };
}

function closed(schema: TObject | undefined): ObjectSchema {
  return { type: 'object', properties: {}, ...withoutNames(schema), additionalProperties: false };
}

/**
 * The names are for the description: a check takes no two schemas of one name, and one set of values stands in many places.
 * An object with a name that may be null is one schema here, not one of two, so that a problem is that of its field.
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

/** A query string has only text: its numbers, decimal digits and nothing else, and its truths are read from it. */
function readValues({ properties }: ObjectSchema, query: Record<string, unknown>): void {
  for (const [name, { type }] of Object.entries(properties)) {
    const text = query[name];
    if (typeof text !== 'string') continue;
    if (type === 'integer' && DIGITS.test(text)) query[name] = Number(text);
    else if (type === 'boolean' && (text === 'true' || text === 'false')) query[name] = text === 'true';
  }
}

/** A filter without a value is a mistake of a program, which would read everything as the answer to it. */
function emptyValues(query: Record<string, unknown>): FieldProblem[] {
  return Object.entries(query)
    .filter(([, value]) => value === '')
    .map(([field]) => ({ field, code: 'min_length', message: 'must not be empty' }));
}

/** Of a query with `from` and `to`, which are instants wherever they stand. */
function wrongRange({ from, to }: Record<string, unknown>): FieldProblem[] {
  if (typeof from !== 'string' || typeof to !== 'string' || Date.parse(from) <= Date.parse(to)) return [];
  return [{ field: 'from', code: 'range', message: 'must not be later than to' }];
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

  /** Unknown and missing fields, and the first problem of each other one. */
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

/** Texts that no schema refuses and the database would. */
function unstorableTexts(value: unknown, path: string[]): FieldProblem[] {
  if (typeof value === 'string') {
    const message = 'must not contain NUL or an unpaired surrogate';
    return isStorable(value) ? [] : [{ field: path.join('.'), code: 'invalid_text', message }];
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => unstorableTexts(member, [...path, name]));
}

function unknownField(path: string, noun: Noun): FieldProblem {
  const field = path.length > MAX_NAME ? `${path.slice(0, MAX_NAME)}…` : path;
  return { field, code: 'unknown_field', message: `is not a ${noun} of this operation` };
}

/** What a check that has failed says. The last error is that of the whole, where each of several forms has failed. */
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
      return { field: place.join('.') || 'body', code: codeOf(error), message: explain(error) };
  }
}

/** The rule that a schema's keyword is. */
export const codeOf = ({ keyword }: Pick<ErrorObject, 'keyword'>) =>
  (keyword === 'enum'
    ? 'not_allowed'
    : keyword.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)) as FieldCode;
