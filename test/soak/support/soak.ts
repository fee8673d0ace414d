// First, because it counts what is made after it.

import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { type Database, sql } from '../../../server/db/database.ts';
import { MAX_PREPARED } from '../../../server/db/pglite-statements.ts';
import { defer } from '../../support/cleanup.ts';
import { type Counts, growing, growth, heapSlope, takeCensus } from './census.ts';
import { type Complaint, Life } from './life.ts';

/** The connections of the service's pool: each is asked what it has prepared, except those that hold a lock for good. */
const POOL_SIZE = 8;

/** What the database holds for the service. */
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

/** Lines of the log that say what this life does to the service, each with the part of its fields that tells it from others. */
const EXPECTED: [string, RegExp][] = [
  ['job will be tried again', /asks for remove to fail/],
  ['job given up', /"kind":"delete"/],
  ['a guest that no VM has: see vaubanctl orphan list', /guest_id/],
  ['orphan removed by the operator', /guest_id/],
  ['guests are shut down for the end of their host', /guests/],
  ['a payment is not in the books: see vaubanctl payment unbooked', /"provider":"stripe"/],
  // The clock is put forward by days at once: who waits for an answer at that moment has waited for days.
  ['presence lost: this node leaves its jobs to the others', /presence/],
  ['mail not sent', /Message sending aborted/],
  // A VM of the operator's world was deleted or stopped while its key was replaced.
  ['task failed', /(has no guest|is not running).*"task":"replace_ops_key"/],
];

const isExpected = (complaint: Complaint) =>
  EXPECTED.some(([msg, rest]) => complaint.msg === msg && rest.test(JSON.stringify(complaint)));

export interface SoakOptions {
  /** Months before the first count: caches fill, and code is compiled. */
  warmUp: number;
  months: number;
  /** By how many a count may be above what it was at first. A few months show what is added to by each request, many what is by each month. */
  allowed: number;
  /** Bytes by which the heap may grow in a month. */
  heapBytes: number;
}

/** Lives for months, and fails if anything that a process holds grows with them. */
export async function soak(
  t: TestContext,
  { warmUp, months, allowed, heapBytes }: SoakOptions,
): Promise<void> {
  const warnings: string[] = [];
  const life = await Life.begin(t);
  const warn = ({ name, message }: Error) => {
    // Node's own: of the census itself, and of algorithms that a library asks Node for.
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
