import { type Database, type Queryable, type Sql, sql, type Transaction } from '../../../db/database.ts';
import type { Clock } from '../../../platform/clock.ts';
import { accountsBetween, everyAccount } from './law.ts';
import { ACCOUNT_LAWS, SELLER_LAWS } from './laws.ts';

/** A row that violates a law. */
export interface Finding {
  law: string;
  /** Names the row and its fault. */
  what: string;
}

export interface AuditReport {
  started_at: Date;
  finished_at: Date;
  accounts: number;
  laws: number;
  findings: Finding[];
  /** True if there are more findings than listed. */
  truncated: boolean;
}

/** Accounts checked in one transaction: the embedded engine serves no other request in the meantime. */
const ACCOUNTS_AT_ONCE = 100;
/** More than a person reads; thousands of wrong rows have one cause. */
const MAX_FINDINGS = 1_000;
/** Timeout for one law and one batch of accounts. On a database that needs longer, the audit fails and says so. */
const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * Checks the books against the laws. Each batch of accounts is read as of one instant, by a read-only transaction that
 * never waits for a lock. Customers are served between batches, so a long audit holds up no one. The seller's own
 * records come last.
 */
export async function audit(db: Database, clock: Clock): Promise<AuditReport> {
  const started_at = clock.now();
  const findings: Finding[] = [];
  let accounts = 0;
  let from = '';
  for (let more = true; more && findings.length <= MAX_FINDINGS; ) {
    const ids = await nextAccounts(db, from);
    accounts += ids.length;
    more = ids.length === ACCOUNTS_AT_ONCE;
    const scope = accountsBetween(from, more ? ids.at(-1) : undefined);
    const laws = ACCOUNT_LAWS.map(({ name, offences }) => ({ name, offences: offences(scope) }));
    findings.push(...(await snapshot(db, (tx) => offencesAgainst(tx, laws))));
    from = ids.at(-1) ?? from;
  }
  findings.push(...(await snapshot(db, (tx) => offencesAgainst(tx, SELLER_LAWS))));
  return {
    started_at,
    finished_at: clock.now(),
    accounts,
    laws: ACCOUNT_LAWS.length + SELLER_LAWS.length,
    findings: findings.slice(0, MAX_FINDINGS),
    truncated: findings.length > MAX_FINDINGS,
  };
}

/** Audits all accounts at once, for small amounts of data: an open transaction, or a database at rest. */
export function auditNow(db: Queryable): Promise<Finding[]> {
  const laws = ACCOUNT_LAWS.map(({ name, offences }) => ({ name, offences: offences(everyAccount) }));
  return offencesAgainst(db, [...laws, ...SELLER_LAWS]);
}

async function nextAccounts(db: Queryable, after: string): Promise<string[]> {
  const rows = await db.query<{ id: string }>(
    sql`select id from accounts where id > ${after} order by id limit ${ACCOUNTS_AT_ONCE}`,
  );
  return rows.map(({ id }) => id);
}

/** Runs `look` on a snapshot of the database. */
function snapshot<T>(db: Database, look: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`);
    // Row hashes contain instants in UTC.
    await tx.query(sql`
      select set_config('statement_timeout', ${String(STATEMENT_TIMEOUT_MS)}, true), set_config('TimeZone', 'UTC', true)`);
    return look(tx);
  });
}

async function offencesAgainst(
  db: Queryable,
  laws: readonly { name: string; offences: Sql }[],
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { name, offences } of laws) {
    const rows = await db.query<{ what: string }>(
      sql`select what from (${offences}) offences limit ${MAX_FINDINGS + 1}`,
    );
    findings.push(...rows.map(({ what }) => ({ law: name, what })));
  }
  return findings;
}
