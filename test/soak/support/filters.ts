/** A query parameter, as in each of the three API descriptions. */
interface Parameter {
  name: string;
  required: boolean;
  schema: Schema;
}

interface Schema {
  type?: string | string[];
  format?: string;
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  default?: unknown;
  minimum?: number;
  items?: Schema | false;
  anyOf?: Schema[];
}

/** Returns values for a parameter: all of an enumeration, or a single one. */
function valuesOf({ name, schema }: Parameter, now: Date): unknown[] {
  const choices = [schema, ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const listed = choices.flatMap(
    (choice) => choice.enum ?? (choice.const === undefined ? [] : [choice.const]),
  );
  if (listed.length > 0) return listed;
  if (schema.format === 'date-time' || name === 'from' || name === 'to') return [now.toISOString()];
  return [schema.examples?.[0] ?? schema.default ?? schema.minimum ?? 'none'];
}

/** Returns queries that use each filter of a list alone with each of its values, and one that uses all of them. */
export function queriesOf(parameters: readonly Parameter[], now: Date): Record<string, string>[] {
  const first = (wanted: readonly Parameter[]) =>
    Object.fromEntries(wanted.map((parameter) => [parameter.name, String(valuesOf(parameter, now)[0])]));
  // Only the service creates valid cursors; an invented one is refused, which exercises that code path too.
  const needed = first(parameters.filter(({ required }) => required));
  const optional = parameters.filter(({ required }) => !required);
  const single = optional.flatMap((parameter) =>
    valuesOf(parameter, now).map((value) => ({ ...needed, [parameter.name]: String(value) })),
  );
  return [...single, ...(optional.length > 1 ? [first(parameters)] : [])];
}
