import { empty, execute, type Queryable, sql } from '../../database.ts';

/** Primary key of a stored reply. */
export interface ReplyPlace {
  account_id: string;
  method: string;
  path: string;
  key: string;
}

/** Returns sealed replies after `after` in the order of the primary key, and locks them until the transaction ends. */
export function lockSealedReplies(
  tx: Queryable,
  after: ReplyPlace | undefined,
  limit: number,
): Promise<(ReplyPlace & { reply: string })[]> {
  const behind = after
    ? sql`and (account_id, method, path, key) > (${after.account_id}, ${after.method}, ${after.path}, ${after.key})`
    : empty;
  return tx.query(sql`
    select account_id, method, path, key, reply from idempotency_keys where encrypted ${behind}
    order by account_id, method, path, key limit ${limit} for no key update`);
}

export async function setReply(tx: Queryable, at: ReplyPlace, reply: string): Promise<void> {
  await execute(
    tx,
    sql`
    update idempotency_keys set reply = ${reply} where account_id = ${at.account_id} and method = ${at.method}
      and path = ${at.path} and key = ${at.key}`,
  );
}

/** Returns jobs after `after` that may still need the secrets sealed in their input, oldest first, and locks them. */
export function lockJobInputs(
  tx: Queryable,
  after: string,
  limit: number,
): Promise<{ id: string; input: Record<string, unknown> }[]> {
  return tx.query(sql`
    select id, input from jobs where status in ('pending', 'running') and id > ${after}
    order by id limit ${limit} for no key update`);
}

export async function setJobInput(tx: Queryable, id: string, input: object): Promise<void> {
  await execute(tx, sql`update jobs set input = ${JSON.stringify(input)}::text::jsonb where id = ${id}`);
}
