import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import type { Endpoint } from '../endpoints/endpoint.ts';
import { type FieldProblem, validationFailed } from '../platform/errors.ts';
import type { TObject } from '../platform/schema.ts';
import { isStorable } from '../platform/text.ts';

/** Problems named in one answer: enough to mend a request, bounded for a hostile one. */
const MAX_PROBLEMS = 20;

const options = {
  allErrors: true,
  useDefaults: true,
  strict: true,
  strictTypes: false,
  allowUnionTypes: true,
  // The schemas are ours. To check them against their own schema, and to polish what is made of them, would be a
  // third of the first request's time.
  validateSchema: false,
  code: { optimize: false },
} as const;
// ajv-formats ships its function as a CommonJS default.
const withFormats = addFormats as unknown as (ajv: Ajv) => Ajv;
/** Bodies are JSON and mean what they say; a query string has only text, so its numbers are read from it. */
const bodies = withFormats(new Ajv(options));
const queries = withFormats(new Ajv({ ...options, coerceTypes: true }));
const NOTHING = { type: 'object', properties: {}, additionalProperties: false };

/** Checks of an endpoint's inputs; each throws `validation_failed` and fills in defaults. */
export interface InputChecks {
  query(value: unknown): void;
  body(value: unknown): void;
}

/** Compiled once, when first needed: compiling them all would be a tenth of the service's start. */
export function compileChecks(endpoint: Pick<Endpoint, 'query' | 'body'>): InputChecks {
  return {
    query: check(() => queries.compile(closed(endpoint.query)), 'query parameter'),
    body: check(() => bodies.compile(closed(endpoint.body)), 'field'),
  };
}

function closed(schema: TObject | undefined): object {
  return schema ? { ...schema, additionalProperties: false } : NOTHING;
}

function check(compile: () => ValidateFunction, noun: string): (value: unknown) => void {
  let validate: ValidateFunction | undefined;
  return (value) => {
    validate ??= compile();
    const problems = validate(value)
      ? unstorableTexts(value, [])
      : (validate.errors ?? [])
          .filter((error) => error.keyword !== 'if')
          .map((error) => toProblem(error, noun));
    if (problems.length > 0) throw validationFailed(problems.slice(0, MAX_PROBLEMS));
  };
}

/** Texts that no schema refuses and the database would. */
function unstorableTexts(value: unknown, path: string[]): FieldProblem[] {
  if (typeof value === 'string') {
    const message = 'must not contain NUL or an unpaired surrogate';
    return isStorable(value) ? [] : [{ field: path.join('.'), code: 'invalid_text', message }];
  }
  if (value === null || typeof value !== 'object') return [];
  return Object.entries(value).flatMap(([name, member]) => unstorableTexts(member, [...path, name]));
}

function toProblem(error: ErrorObject, noun: string): FieldProblem {
  const parent = error.instancePath.slice(1).replaceAll('/', '.');
  const within = (name: string) => (parent ? `${parent}.${name}` : name);
  switch (error.keyword) {
    case 'additionalProperties':
      return {
        field: within(error.params.additionalProperty),
        code: 'unknown_field',
        message: `is not a ${noun} of this operation`,
      };
    case 'required':
      return { field: within(error.params.missingProperty), code: 'required', message: 'is required' };
    case 'enum':
      return {
        field: parent || 'body',
        code: 'not_allowed',
        message: `must be one of ${error.params.allowedValues.join(', ')}`,
      };
    default:
      return {
        field: parent || 'body',
        code: error.keyword.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
        message: error.message ?? 'is not valid',
      };
  }
}
