/** The expected value of any part of an API reply. Integers are bigint, instants are milliseconds in a Date. */
export type Expected =
  | bigint
  | string
  | boolean
  | null
  | Date
  | readonly Expected[]
  | { readonly [field: string]: Expected };

/** Compares API replies with the expected values and counts the comparisons. */
export class Differences {
  /** Number of compared fields, including lengths of lists. */
  compared = 0;
  /** Comparisons by operation and field, such as "wallet.held_minor". */
  readonly fields = new Map<string, number>();
  readonly found: string[] = [];

  /** `what` names the reply; `where` says whose it is and when it was read. */
  compare(what: string, where: string, actual: unknown, expected: Expected): void {
    this.#compare(what, what, where, actual, expected);
  }

  #compare(field: string, path: string, where: string, actual: unknown, expected: Expected): void {
    if (Array.isArray(expected)) {
      const items = Array.isArray(actual) ? actual : [];
      this.#leaf(`${field}.length`, `${path}.length`, where, items.length, BigInt(expected.length));
      for (const [index, item] of expected.entries())
        this.#compare(field, `${path}[${index}]`, where, items[index], item);
    } else if (expected !== null && typeof expected === 'object' && !(expected instanceof Date)) {
      for (const [name, part] of Object.entries(expected)) {
        const value = (actual as Record<string, unknown> | null | undefined)?.[name];
        this.#compare(`${field}.${name}`, `${path}.${name}`, where, value, part);
      }
    } else this.#leaf(field, path, where, actual, expected as bigint | string | boolean | null | Date);
  }

  #leaf(
    field: string,
    path: string,
    where: string,
    actual: unknown,
    expected: bigint | string | boolean | null | Date,
  ): void {
    this.compared++;
    this.fields.set(field, (this.fields.get(field) ?? 0) + 1);
    const wanted =
      typeof expected === 'bigint'
        ? Number(expected)
        : expected instanceof Date
          ? expected.toISOString()
          : expected;
    if (actual !== wanted)
      this.found.push(`${where}: ${path} is ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`);
  }
}
