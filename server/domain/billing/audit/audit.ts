import { type Database, type Queryable, type Sql, sql, type Transaction } from '../../../db/database.ts';
import type { Clock } from '../../../platform/clock.ts';
import { accountsBetween, everyAccount } from './law.ts';
import { ACCOUNT_LAWS, SELLER_LAWS } from './laws.ts';

/** A row that contradicts a law. */
export interface Finding {
  law: string;
  /** Names the row, and what is wrong with it. */
  what: string;
}

export interface AuditReport {
  started_at: Date;
  finished_at: Date;
  accounts: number;
  laws: number;
  findings: Finding[];
  /** Whether there are more findings than are listed. */
  truncated: boolean;
}

/** Accounts looked at in one transaction: the embedded engine serves no other request meanwhile. */
const ACCOUNTS_AT_ONCE = 100;
/** More than a person reads; what is wrong with thousands of rows has one cause. */
const MAX_FINDINGS = 1_000;
/** Of one law and one batch of accounts. On a database in which it takes longer the audit fails and says so. */
const STATEMENT_TIMEOUT_MS = 60_000;

/**
 * Holds the books against the laws. Each batch of accounts is seen as it was at one instant, by a transaction that
 * only reads and never waits for a lock; in between customers go on, so that an audit takes no longer than it likes from
 * anybody. What belongs to the seller is seen last.
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

/** The same of all accounts at once, for what is small: an open transaction, or a database at rest. */
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

/** Runs `look` on the database as it is at one instant. */
function snapshot<T>(db: Database, look: (tx: Transaction) => Promise<T>): Promise<T> {
  return db.transaction(async (tx) => {
    await tx.query(sql`set transaction isolation level repeatable read, read only`);
    // Rows are hashed with their instants in UTC.
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
