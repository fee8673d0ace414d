import { execute, maybeOne, type Queryable, sql } from '../database.ts';

const SETTING = 'last_audit';

/** The last time that the books were held against the laws, by any node. */
export interface LastAudit {
  /** When it began, RFC 3339. */
  at: string;
  findings: number;
}

export async function findLastAudit(db: Queryable): Promise<LastAudit | undefined> {
  const row = await maybeOne<{ value: LastAudit }>(
    db,
    sql`select value from settings where name = ${SETTING}`,
  );
  return row?.value;
}

export async function noteAudit(db: Queryable, audit: LastAudit): Promise<void> {
  await execute(
    db,
    sql`
    insert into settings (name, value) values (${SETTING}, ${JSON.stringify(audit)}::text::jsonb)
    on conflict (name) do update set value = excluded.value`,
  );
}
