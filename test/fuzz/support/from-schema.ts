import fc from 'fast-check';
import { deref, type Schema } from '../../acceptance/support/document.ts';
import { text, value } from './junk.ts';

interface Limits extends Schema {
  pattern?: string;
  format?: string;
  minLength?: number;
  maximum?: number;
  multipleOf?: number;
  minItems?: number;
  maxItems?: number;
}

/** Longest text generated for a field that allows longer ones; other tests try the limits themselves. */
const ENOUGH = 100;

/** Generates values that satisfy a schema of openapi.json, more often at its edges than in its middle. */
export function fromSchema(given: Schema): fc.Arbitrary<unknown> {
  const schema = deref(given) as Limits;
  if (schema.anyOf) return fc.oneof(...schema.anyOf.map(fromSchema));
  if (schema.enum) return fc.constantFrom(...schema.enum);
  const types = [schema.type].flat();
  return fc.oneof(...types.map((type) => ofType(type, schema)));
}

function ofType(type: string | undefined, schema: Limits): fc.Arbitrary<unknown> {
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
      return integers(schema);
    case 'string':
      return strings(schema);
    case 'array':
      return fc.array(fromSchema(schema.items || {}), {
        minLength: schema.minItems,
        maxLength: Math.min(schema.maxItems ?? 5, 5),
      });
    case 'object':
      return objects(schema);
    default:
      return value;
  }
}

function integers({ minimum: min = -(2 ** 53) + 1, maximum: max = 2 ** 53 - 1, multipleOf = 1 }: Limits) {
  const steps = { min: Math.ceil(min / multipleOf), max: Math.floor(max / multipleOf) };
  const edges = fc.constantFrom(steps.min, steps.max);
  return fc
    .oneof(
      fc.maxSafeInteger().map((n) => steps.min + (Math.abs(n) % (steps.max - steps.min + 1))),
      edges,
    )
    .map((step) => step * multipleOf);
}

function strings(schema: Limits): fc.Arbitrary<string> {
  const { pattern, format, minLength = 0, maxLength = ENOUGH, examples = [] } = schema;
  const known = examples.length > 0 ? [fc.constantFrom(...(examples as string[]))] : [];
  if (format === 'date-time')
    return fc.date({ min: new Date(0), noInvalidDate: true }).map((at) => at.toISOString());
  if (pattern !== undefined) return fc.oneof(...known, matching(pattern));
  const free = text.map((text) => text.slice(0, maxLength).padEnd(minLength, 'x'));
  return fc.oneof(...known, free, fc.string({ minLength, maxLength: Math.min(maxLength, ENOUGH) }));
}

/** Generates texts that match a pattern, if the pattern is of a supported kind. */
function matching(pattern: string): fc.Arbitrary<string> {
  try {
    return fc.stringMatching(new RegExp(pattern), { maxLength: ENOUGH });
  } catch {
    return fc.constantFrom('a', 'web-1', 'a.b.example', 'x'.repeat(63));
  }
}

function objects({ properties = {}, required = [] }: Limits): fc.Arbitrary<object> {
  const fields = Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, fromSchema(field)]),
  );
  return fc.record(fields, { requiredKeys: required.filter((name) => name in fields) });
}
