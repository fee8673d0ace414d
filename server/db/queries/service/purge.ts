import { one, type Queryable, type Sql, sql } from '../../database.ts';

/**
 * Deletes up to `limit` rows, the first in the order of an index; returns how many. It never waits: locked rows are
 * left for the next round.
 */
export async function deleteSome(
  db: Queryable,
  { table, where, order }: { table: Sql; where: Sql; order: Sql },
  limit: number,
): Promise<number> {
  const { n } = await one<{ n: number }>(
    db,
    sql`
    with gone as (
      delete from ${table} where ctid = any(array(
        select ctid from ${table} where ${where} order by ${order} limit ${limit} for update skip locked))
      returning 1
    )
    select count(*)::int as n from gone`,
  );
  return n;
}
