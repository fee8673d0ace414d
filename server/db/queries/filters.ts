import { type Sql, sql } from '../database.ts';

/**
 * Makes an optional filter whose statement text, and so its plan, is the same with or without a value. The cached plan
 * cannot use an index for it, so compare a column that has an index for this outside of it.
 */
export function ifGiven<T>(value: T | undefined, condition: (value: T | null) => Sql): Sql {
  return sql`(${value === undefined} or ${condition(value ?? null)})`;
}
