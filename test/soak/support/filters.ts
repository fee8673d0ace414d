/** A query's parameter, as each of the three descriptions has it. */
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

/** Values of a parameter: all of a list of them, or else one. */
function valuesOf({ name, schema }: Parameter, now: Date): unknown[] {
  const choices = [schema, ...(schema.anyOf ?? []), ...(schema.items ? [schema.items] : [])];
  const listed = choices.flatMap(
    (choice) => choice.enum ?? (choice.const === undefined ? [] : [choice.const]),
  );
  if (listed.length > 0) return listed;
  if (schema.format === 'date-time' || name === 'from' || name === 'to') return [now.toISOString()];
  return [schema.examples?.[0] ?? schema.default ?? schema.minimum ?? 'none'];
}

/** Queries that use each filter of a list alone with each of its values, and then all of them together. */
export function queriesOf(parameters: readonly Parameter[], now: Date): Record<string, string>[] {
  const first = (wanted: readonly Parameter[]) =>
    Object.fromEntries(wanted.map((parameter) => [parameter.name, String(valuesOf(parameter, now)[0])]));
  // A cursor is made by the service alone; one of our own is refused, which is a path through the code as well.
  const needed = first(parameters.filter(({ required }) => required));
  const optional = parameters.filter(({ required }) => !required);
  const single = optional.flatMap((parameter) =>
    valuesOf(parameter, now).map((value) => ({ ...needed, [parameter.name]: String(value) })),
  );
  return [...single, ...(optional.length > 1 ? [first(parameters)] : [])];
}
