import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Queryable, raw, type Sql, sql, type Transaction } from '../../server/db/database.ts';
import { listInvoices } from '../../server/db/queries/money/invoices.ts';
import { listOrders } from '../../server/db/queries/money/orders.ts';
import { statementPage } from '../../server/db/queries/money/statements.ts';
import { listTopUps, systemListTopUps } from '../../server/db/queries/money/top-ups.ts';
import type { Page } from '../../server/db/queries/page.ts';
import { listEvents } from '../../server/db/queries/service/events.ts';
import { listJobs } from '../../server/db/queries/service/jobs.ts';
import { listAttacks, systemListAttacks } from '../../server/db/queries/shield/shield-attacks.ts';
import { systemListVms } from '../../server/db/queries/vms/operator-vms.ts';
import { listSshKeys } from '../../server/db/queries/vms/ssh-keys.ts';
import { listVms } from '../../server/db/queries/vms/vm-list.ts';
import { freshDatabase } from '../support/database.ts';

const FROM = new Date('2026-01-01T00:00:00Z');
const TO = new Date('2026-02-01T00:00:00Z');
const DATES = { from: FROM, to: TO };

interface List<Filter extends object> {
  run(db: Queryable, filter: Partial<Filter>, page: Page): Promise<unknown>;
  filter: Filter;
  /** Number of distinct texts for all combinations of filters. */
  texts: number;
  /** Returns the index that finds a page for the given filters. */
  index(filter: Partial<Filter>): string;
}

const list = <Filter extends object>(one: List<Filter>) => one as List<object>;

const LISTS: Record<string, List<object>> = {
  'VMs of an account': list({
    run: (db, filter, page) => listVms(db, 'acc_1', filter, page),
    filter: { status: 'running', region: 'eu', hostname: 'web' },
    texts: 4,
    index: ({ status, region, hostname }) =>
      hostname ? 'vms_by_hostname' : status ? 'vms_by_status' : region ? 'vms_by_region' : 'vms_by_account',
  }),
  'VMs for the operator': list({
    run: systemListVms,
    filter: { accountId: 'acc_1', status: 'running', isUnpaid: true, search: 'web' },
    texts: 4,
    index: ({ accountId }) => (accountId ? 'vms_by_account' : 'vms_pkey'),
  }),
  orders: list({
    run: (db, filter, page) => listOrders(db, 'acc_1', filter, page),
    filter: { vm_id: 'vm_1', kind: 'renew' as const },
    texts: 2,
    index: ({ vm_id }) => (vm_id ? 'orders_by_vm' : 'orders_by_account'),
  }),
  invoices: list({
    run: (db, filter, page) => listInvoices(db, 'acc_1', filter, page),
    filter: { status: 'draft' as const, type: 'invoice' as const, ...DATES },
    texts: 1,
    index: () => 'invoices_by_account',
  }),
  events: list({
    run: (db, filter, page) => listEvents(db, 'vm_1', filter, page),
    filter: { type: 'vm.started' as never, ...DATES },
    texts: 1,
    index: () => 'events_by_vm',
  }),
  'attacks on a target': list({
    run: (db, filter, page) => listAttacks(db, 'target_1', filter, page),
    filter: { status: 'ongoing' as const, ...DATES },
    texts: 1,
    index: () => 'shield_attacks_by_target',
  }),
  'attacks for the operator': list({
    run: (db, { status }, page) => systemListAttacks(db, status, page),
    filter: { status: 'ongoing' as const },
    texts: 1,
    index: () => 'shield_attacks_pkey',
  }),
  'an account statement': list({
    run: (db, filter, page) =>
      statementPage(db, 'acc_1', { ...filter, before: page.afterId === null ? null : 7n }, page.limit),
    filter: DATES,
    texts: 1,
    index: () => 'journal_chains',
  }),
  'top-ups of an account': list({
    run: (db, _, page) => listTopUps(db, 'acc_1', page),
    filter: {},
    texts: 1,
    index: () => 'top_ups_of_account',
  }),
  'top-ups for the operator': list({
    run: systemListTopUps,
    filter: { status: 'pending' as const, provider: 'stripe' },
    texts: 1,
    index: () => 'top_ups_pkey',
  }),
  'SSH keys': list({
    run: (db, filter, page) => listSshKeys(db, 'acc_1', filter, page),
    filter: { fingerprint: 'SHA256:x' },
    texts: 1,
    index: () => 'ssh_keys_by_account',
  }),
  jobs: list({
    run: (db, { active }, page) => listJobs(db, 'vm_1', active === true, page),
    filter: { active: true },
    texts: 1,
    index: () => 'jobs_by_vm',
  }),
};

const PAGES: Page[] = [
  { limit: 20, afterId: null },
  { limit: 20, afterId: 'some_id' },
];

/** Returns every subset of an object's entries. */
function choices<T extends object>(all: T): Partial<T>[] {
  const some: Partial<T>[] = [{}];
  for (const [name, value] of Object.entries(all))
    some.push(...some.map((chosen) => ({ ...chosen, [name]: value })));
  return some;
}

/** Returns the statement with which a list queries a page. */
async function statementOf(one: List<object>, filter: object, page: Page): Promise<Sql> {
  const statements: Sql[] = [];
  const asked: Queryable = {
    async query(statement) {
      statements.push(statement);
      return [];
    },
  };
  await one.run(asked, filter, page);
  assert.equal(statements.length, 1);
  return statements[0]!;
}

const literal = (value: unknown) =>
  value === null ? 'null' : `'${value instanceof Date ? value.toISOString() : value}'`;

/** Returns the cached generic plan of a statement, which is independent of its parameters. */
async function keptPlan(tx: Transaction, { text, values }: Sql): Promise<string> {
  await tx.query(sql`prepare listed as ${raw(text)}`);
  const lines = await tx.query<{ 'QUERY PLAN': string }>(
    sql`explain execute listed(${raw(values.map(literal).join(', '))})`,
  );
  await tx.query(sql`deallocate listed`);
  return lines.map((line) => line['QUERY PLAN']).join('\n');
}

for (const [name, one] of Object.entries(LISTS))
  test(`${name}: filters and pages add few statement texts, and each finds its page by an index`, async (t) => {
    const db = await freshDatabase(t);
    const texts = new Set<string>();
    await db.transaction(async (tx) => {
      // The tables are empty here, and a plan for empty tables would read and sort them.
      for (const setting of ['enable_seqscan', 'enable_bitmapscan', 'enable_sort'])
        await tx.query(sql`select set_config(${setting}, 'off', true)`);
      await tx.query(sql`set local plan_cache_mode = force_generic_plan`);
      for (const filter of choices(one.filter))
        for (const page of PAGES) {
          const statement = await statementOf(one, filter, page);
          texts.add(statement.text);
          const plan = await keptPlan(tx, statement);
          const index = one.index(filter);
          const [, condition] = plan.match(new RegExp(`using ${index} .*\\n +Index Cond: (.*)`)) ?? [];
          assert.match(
            condition ?? '',
            /(\(\w*id\)::text|"position") < /,
            `${index} for ${JSON.stringify(filter)}:\n${plan}`,
          );
          assert.doesNotMatch(plan.split('\n').slice(0, 3).join('\n'), /Sort/);
        }
    });
    assert.ok(texts.size <= one.texts, [...texts].join('\n\n'));
  });
