import { type Sql, sql } from '../database.ts';

/**
 * A filter of a list that may be absent: the statement's text, and so its plan, is the same with and without. The plan that
 * is kept cannot find rows by it, so a column that has an index for this is compared outside.
 */
export function ifGiven<T>(value: T | undefined, condition: (value: T | null) => Sql): Sql {
  return sql`(${value === undefined} or ${condition(value ?? null)})`;
}
