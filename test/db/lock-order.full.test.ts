import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { promisify } from 'node:util';
import { sql } from '../../server/db/database.ts';
import { LOCK_ORDER } from '../../server/db/lock-order.ts';
import { defer } from '../support/cleanup.ts';
import { engine, freshDatabase } from '../support/database.ts';
import { REPOSITORY } from '../support/source.ts';
import type { LockStep } from './support/lock-recorder.ts';
import { type RecordedText, textsFile } from './support/text-recorder.ts';

const RANK = new Map<string, number>(LOCK_ORDER.map((table, rank) => [table, rank]));
/** Tables with rows that are only ever added, so there is nothing to wait for. */
const APPEND_ONLY = [
  'books',
  'migrations',
  'operator_keys',
  'operator_log',
  'operator_outcomes',
  'order_lines',
  'payments',
  'promo_draws',
  'shield_tenants',
  'top_up_reversal_payments',
  'usage_readings',
];
/** The suites whose transactions are checked against the order. */
const SUITES = [
  'test/acceptance/conformity.full.test.ts',
  'test/panel/sign-up.test.ts',
  'test/panel/account.full.test.ts',
  'test/panel/passkeys.full.test.ts',
];
/** Tables where other transactions wait: each must be among the recorded ones. */
const MUST_SEE = [
  'vms',
  'wallets',
  'jobs',
  'orders',
  'agent_runs',
  'shield_targets',
  'port_claims',
  'ip_pools',
  'people',
  'mail_tokens',
];

/** A connection is closed after 1,000 (`server/db/postgres-connection.ts`). */
const MAX_TEXTS = 550;
/** A function that runs more texts composes them: every connection prepares and plans each combination. */
const MAX_TEXTS_AT = 4;
/** Functions that compose texts, with their largest number of texts. */
const COMPOSED: Record<string, number> = {
  // Each law of the books, for all rows and for new ones.
  'server/domain/billing/audit/audit.ts offencesAgainst': 100,
  // The columns that a caller sets: one set for each place that changes a VM.
  'server/db/queries/vms/vms.ts updateVm': 30,
  // One for each table.
  'server/db/queries/service/purge.ts deleteSome': 20,
  'server/db/queries/vms/vm-dependents.ts deleteVmBelongings': 10,
};

/** Each of its rows is written with the first account of a currency; afterwards no transaction waits for it. */
const WRITTEN_ONCE = 'books';

/** Returns the violations in one sequence of locks; `deleted` are the tables from which rows are deleted. */
function problemsOf(steps: LockStep[], deleted: Set<string>): string[] {
  const problems: string[] = [];
  const held = new Set<string>();
  let last = '';
  for (const { kind, table } of steps) {
    if (
      table === WRITTEN_ONCE ||
      kind === 'insert' ||
      (kind === 'refer' && !deleted.has(table)) ||
      held.has(table)
    )
      continue;
    if (kind === 'unread') problems.push(`${table} is locked by a statement that was not understood`);
    if (kind === 'lock for key')
      problems.push(`${table} is locked "for update", which foreign keys wait for`);
    const rank = RANK.get(table);
    if (rank === undefined) problems.push(`${table} has no place in the order`);
    else if (last && kind !== 'skip' && rank < RANK.get(last)!)
      problems.push(`waits for ${table} while it holds ${last}`);
    if (rank !== undefined && rank > (RANK.get(last) ?? -1)) last = table;
    held.add(table);
  }
  return problems.map(
    (problem) => `${problem}: ${steps.map((step) => `${step.kind} ${step.table}`).join(', ')}`,
  );
}

test('every table has its place in the order of locks', async (t) => {
  const db = await freshDatabase(t);
  const rows = await db.query<{ name: string }>(
    sql`select tablename::text as name from pg_tables where schemaname = 'public' order by 1`,
  );
  const ordered = LOCK_ORDER.filter((name) => name !== 'advisory locks');
  assert.deepEqual(
    rows.map(({ name }) => name),
    [...ordered, ...APPEND_ONLY].sort(),
  );
});

/** Runs the suites with a recording service and returns the lines of its files. */
async function record(t: TestContext): Promise<{ ways: LockStep[][]; texts: RecordedText[] }> {
  const directory = await mkdtemp(join(tmpdir(), 'vauban-locks-'));
  defer(t, () => rm(directory, { recursive: true }));
  const file = join(directory, 'locks');
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  // Every transaction fails once at its end: if its work cannot be repeated, the suite fails.
  for (const path of SUITES) {
    await promisify(execFile)(process.execPath, [join(REPOSITORY, path)], {
      env: { ...env, RECORD_LOCKS: file },
      maxBuffer: 2 ** 26,
    }).catch((error: { stdout: string }) => assert.fail(`${path} failed\n${error.stdout}`));
  }
  return { ways: await linesOf<LockStep[]>(file), texts: await linesOf<RecordedText>(textsFile(file)) };
}

async function linesOf<T>(file: string): Promise<T[]> {
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => JSON.parse(line) as T);
}

test('the acceptance suite and those of the panel', {
  skip: engine === 'pglite' && 'the embedded engine has one connection: shown on PostgreSQL',
}, async (t) => {
  const { ways, texts } = await record(t);

  await t.test('every transaction keeps the order, and can be repeated', () => {
    t.diagnostic(`${ways.length} ways through the tables`);
    const seen = ways.flat();
    const deleted = new Set(seen.flatMap(({ kind, table }) => (kind === 'delete' ? [table] : [])));
    assert.deepEqual(
      ways.flatMap((steps) => problemsOf(steps, deleted)),
      [],
    );
    const tables = new Set(seen.map(({ table }) => table));
    assert.deepEqual(
      MUST_SEE.filter((table) => !tables.has(table)),
      [],
    );
  });

  await t.test('the statement texts are few, and those that are composed are known', () => {
    const places = Map.groupBy(texts, ({ place }) => place);
    const textsAt = [...places].map(([place, found]) => ({
      place,
      count: new Set(found.map(({ text }) => text)).size,
    }));
    const all = new Set(texts.map(({ text }) => text));
    t.diagnostic(`${all.size} statement texts`);
    assert.ok(all.size <= MAX_TEXTS, `${all.size} statement texts`);
    const composed = textsAt.filter(({ place, count }) => count > (COMPOSED[place] ?? MAX_TEXTS_AT));
    assert.deepEqual(composed, []);
  });
});
