import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Leadership } from '../../server/cluster/leadership.ts';
import { type Database, sql } from '../../server/db/database.ts';
import { deleteFinishedJobs, type JobPlace } from '../../server/db/queries/service/jobs.ts';
import { ExpiredPurge } from '../../server/jobs/timers/purge-expired.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { Failures } from '../../server/platform/failures.ts';
import { createLogger } from '../../server/platform/logging.ts';
import { fundedAccount, storedVm } from '../billing/support.ts';
import { defer } from '../support/cleanup.ts';
import { engine, freshDatabase } from '../support/database.ts';
import { openInstallation } from './support/installation.ts';

const DAY_MS = 86_400_000;

async function open(t: TestContext) {
  const db = await freshDatabase(t);
  const lines: { msg: string; task?: string; subject?: string }[] = [];
  const logger = createLogger({ logLevel: 'info' }, { write: (line) => lines.push(JSON.parse(line)) });
  const { services, close } = await openInstallation(db, { logger });
  defer(t, close);
  const said = (task: string) => lines.filter((line) => line.task === task).map(({ msg }) => msg);
  const counted = async (task: string) =>
    Number(
      /task="TASK"\} (\d+)/.exec((await services.metrics.text()).replaceAll(`"${task}"`, '"TASK"'))?.[1] ?? 0,
    );
  return { db, services, failures: new Failures(services), lines, said, counted };
}

/** Makes every `event` on a table's rows that match `when` fail. */
function breakTable(db: Database, table: string, event: 'delete' | 'update', when = 'true') {
  return db.script(
    `create function broken_${table}() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$;
     create trigger broken before ${event} on ${table} for each row when (${when}) execute function broken_${table}()`,
    { ddl: true },
  );
}

const mend = (db: Database, table: string) => db.script(`drop trigger broken on ${table}`, { ddl: true });

test('a failing chore blocks no other, and is logged once', async (t) => {
  const { db, services, failures, said, counted } = await open(t);
  const { clock } = services;
  const purge = new ExpiredPurge(services, failures);
  const events = () => db.query(sql`select 1 from events`);
  const vm = await storedVm(db, clock, await fundedAccount(db, clock), {});
  const leave = (id: string) =>
    db.query(sql`insert into events (id, account_id, vm_id, type, level, message, actor_type, created_at)
      values (${id}, ${vm.account_id}, ${vm.id}, 'a', 'info', 'a', 'system', ${new Date(0)})`);
  const window = () => db.query(sql`select 1 from rate_windows`);
  await leave('evt_a');
  await db.query(sql`insert into rate_windows (bucket, window_start, used) values ('old', 0, 1)`);
  await breakTable(db, 'events', 'delete');
  await purge.run();
  await purge.run();
  assert.equal((await events()).length, 1);
  assert.equal((await window()).length, 0, 'what comes after it is done');
  assert.deepEqual(said('sweep_events'), ['task failed']);
  assert.equal(await counted('sweep_events'), 2);
  await mend(db, 'events');
  await purge.run();
  assert.equal((await events()).length, 0);
  assert.deepEqual(said('sweep_events'), ['task failed', 'task has recovered']);
});

test('a VM that cannot be renewed blocks no other, and is logged once', async (t) => {
  const { db, services, failures, said, counted } = await open(t);
  const { clock } = services;
  const accountId = await fundedAccount(db, clock);
  const vms = [];
  for (let n = 0; n < 3; n++) vms.push(await storedVm(db, clock, accountId, { auto_renew: false }));
  clock.set(new Date(vms[0]!.billing_period_end_at.getTime() + 1000));
  await breakTable(db, 'vms', 'update', `old.id = '${vms[0]!.id}'`);
  await renewVms(services, failures);
  await renewVms(services, failures);
  const unpaid = await db.query<{ id: string }>(
    sql`select id from vms where unpaid_since is not null order by id`,
  );
  assert.deepEqual(
    unpaid.map(({ id }) => id),
    [vms[1]!.id, vms[2]!.id].sort(),
  );
  assert.deepEqual(said('renew_vms'), ['task failed']);
  assert.equal(await counted('renew_vms'), 2);
});

test('an unpaid VM is only read until there is something to do', async (t) => {
  const { db, services, failures } = await open(t);
  const { clock } = services;
  const vm = await storedVm(db, clock, await fundedAccount(db, clock), {});
  await db.query(sql`update wallets set available_minor = 0`);
  let transactions = 0;
  const watched: Database = {
    ...db,
    transaction: (work) => {
      transactions++;
      return db.transaction(work);
    },
  };
  const renew = () => renewVms({ ...services, db: watched }, failures);
  clock.set(new Date(vm.billing_period_end_at.getTime() + 1000));
  await renew();
  assert.equal(transactions, 1, 'it becomes unpaid');
  for (let round = 0; round < 10; round++) {
    clock.advance(30_000);
    await renew();
  }
  assert.equal(transactions, 1, 'and stays so');
  clock.advance(services.catalog.grace.suspend_after_hours * 3_600_000);
  await renew();
  assert.equal(transactions, 2, 'until its grace is over');
});

test('old jobs are deleted except for the last of each VM, a bounded number per round', async (t) => {
  const { db, services } = await open(t);
  const { clock } = services;
  const vm = await storedVm(db, clock, await fundedAccount(db, clock), {});
  const old = new Date(clock.now().getTime() - 40 * DAY_MS);
  await db.query(sql`
    insert into jobs (id, account_id, vm_id, kind, status, created_at, finished_at)
    select 'job_' || lpad(n::text, 3, '0'), ${vm.account_id}, ${vm.id}, 'start', 'succeeded', ${old}::timestamptz,
      ${old}::timestamptz from generate_series(1, 25) as n`);
  await db.query(sql`update vms set last_job_id = 'job_007' where id = ${vm.id}`);
  const before = new Date(clock.now().getTime() - 30 * DAY_MS);
  const left = async () => (await db.query<{ id: string }>(sql`select id from jobs`)).map(({ id }) => id);
  let place: JobPlace | undefined = await deleteFinishedJobs(db, before, undefined, 10);
  assert.equal(place?.id, 'job_010');
  assert.equal((await left()).length, 16);
  place = await deleteFinishedJobs(db, before, place, 10);
  assert.equal((await left()).length, 6);
  assert.equal(await deleteFinishedJobs(db, before, place, 10), undefined, 'the end is reached');
  assert.deepEqual(await left(), ['job_007']);
});

test('when the leading node dies another one leads', {
  skip: engine === 'pglite' && 'the embedded database belongs to one process',
}, async (t) => {
  const { db } = await open(t);
  const [first, second] = [new Leadership(db), new Leadership(db)];
  defer(t, () => second.leave());
  assert.deepEqual([await first.holds(), await second.holds()], [true, false]);
  await db.query(sql`
    select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and objid = 72260006
      and database = (select oid from pg_database where datname = current_database())`);
  while (!(await second.holds().catch(() => false)));
  assert.equal(await first.holds().catch(() => false), false);
});
