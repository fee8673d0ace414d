// Must come first, because it counts only what is created after it.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Database, sql } from '../../../server/db/database.ts';
import { MAX_PREPARED } from '../../../server/db/pglite-statements.ts';
import { defer } from '../../support/cleanup.ts';
import { type Counts, growing, growth, heapSlope, takeCensus } from './census.ts';
import { type Complaint, Life } from './life.ts';

/**
 * The size of the service's connection pool. Each connection is asked for its prepared statements, except those that
 * hold a lock permanently.
 */
const POOL_SIZE = 8;

async function databaseCounts(db: Database): Promise<Counts> {
  const [{ held }] = (await db.query(sql`
    select count(distinct pid)::int as held from pg_locks join pg_database d on d.oid = database
    where locktype = 'advisory' and datname = current_database()`)) as [{ held: number }];
  const sessions = db.engine === 'postgres' ? POOL_SIZE - held : 1;
  const reserved = await Promise.all(Array.from({ length: sessions }, () => db.reserve()));
  const texts = new Set<string>();
  for (const session of reserved) {
    const prepared = sql`select statement from pg_prepared_statements`;
    for (const { statement } of await session.query<{ statement: string }>(prepared)) texts.add(statement);
    session.release();
  }
  const [{ connections }] = (await db.query(
    sql`select count(*)::int as connections from pg_stat_activity where datname = current_database()`,
  )) as [{ connections: number }];
  return { 'prepared statements': texts.size, 'database connections': connections };
}

/** Expected log lines about what the test does to the service, each with the part of its fields that identifies it. */
const EXPECTED: [string, RegExp][] = [
  ['job will be tried again', /hostname makes remove fail/],
  ['job abandoned', /"kind":"delete"/],
  ['a guest belongs to no VM: see vaubanctl orphan list', /guest_id/],
  ['orphan removed by the operator', /guest_id/],
  ['shutting guests down because their host is shutting down', /guests/],
  ['a payment is not in the books: see vaubanctl payment unbooked', /"provider":"stripe"/],
  // The clock advances by days at once: anything that waits for a reply at that moment has waited for days.
  ['presence lost: other nodes take over the jobs of this node', /presence/],
  ['mail not sent', /Message sending aborted/],
  // A VM of the operator's world was deleted or stopped while its key was being replaced.
  ['task failed', /(has no guest|is not running).*"task":"replace_ops_key"/],
];

const isExpected = (complaint: Complaint) =>
  EXPECTED.some(([msg, rest]) => complaint.msg === msg && rest.test(JSON.stringify(complaint)));

export interface SoakOptions {
  /** Months before the first count, in which caches fill and code is compiled. */
  warmUp: number;
  months: number;
  /** The allowed growth of a count. A few months reveal growth per request, many months reveal growth per month. */
  allowed: number;
  /** The allowed growth of the heap in bytes per month. */
  heapBytes: number;
}

/** Simulates months, and fails if anything that the process holds grows with them. */
export async function soak(
  t: TestContext,
  { warmUp, months, allowed, heapBytes }: SoakOptions,
): Promise<void> {
  const warnings: string[] = [];
  const life = await Life.begin(t);
  const warn = ({ name, message }: Error) => {
    // Node's warnings about the census itself, and about algorithms that a library requests from Node.
    if (name !== 'ExperimentalWarning') warnings.push(`${name}: ${message}`);
  };
  defer(t, (failed) => {
    if (failed) for (const each of life.complaints.slice(-5)) t.diagnostic(JSON.stringify(each));
  });
  process.on('warning', warn);
  defer(t, () => void process.off('warning', warn));
  const counts: Counts[] = [];
  let grown: string[] = [];
  for (let month = 0; month < warmUp + months; month++) {
    await life.month(month);
    if (month < warmUp) continue;
    counts.push({ ...(await databaseCounts(life.db)), ...(await takeCensus()) });
    grown = growth();
    t.diagnostic(`month ${month}: ${JSON.stringify(counts.at(-1))}`);
  }
  const slope = heapSlope(counts);
  t.diagnostic(`the heap grows by ${Math.round(slope)} bytes a month`);
  assert.deepEqual(
    life.complaints.filter((each) => !isExpected(each)),
    [],
  );
  assert.deepEqual(warnings, []);
  assert.deepEqual(growing(counts, allowed), [], grown.join('\n'));
  assert.ok(counts.every(({ 'prepared statements': prepared }) => prepared! < MAX_PREPARED));
  assert.ok(slope < heapBytes, `the heap grows by ${slope} bytes a month\n${grown.join('\n')}`);
}
