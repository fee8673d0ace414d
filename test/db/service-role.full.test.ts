import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { one, sql } from '../../server/db/database.ts';
import { openPostgres } from '../../server/db/postgres.ts';
import { recognizeRevenue } from '../../server/db/queries/money/recognition.ts';
import { newCustomer } from '../chaos/support/customer.ts';
import { engine, freshDatabaseLocation } from '../support/database.ts';
import { assertInvariants } from '../support/invariants.ts';
import { issueInvoices } from '../support/issue.ts';
import { startService } from '../support/service.ts';
import { REPOSITORY } from '../support/source.ts';

const ROLE = 'vauban_service';
const GRANTS = readFileSync(join(REPOSITORY, 'server/db/service-role.sql'), 'utf8');
const VM = { plan: 's1', template: 'debian-12', hostname: 'web', password: 'correct-horse' };

test('the service runs as a role that cannot change the books', {
  skip: engine === 'pglite' && 'the embedded engine has one user',
}, async (t) => {
  const location = await freshDatabaseLocation(t);
  const first = await startService(t, { location });
  await first.stop();
  const owner = await location.open();
  t.after(() => owner.close());
  await owner
    .script(`create role ${ROLE} login`)
    .catch((error) => assert.match(error.message, /already exists/));
  await owner.script(GRANTS);

  // Every session of this URL has that role from its start and cannot change to another.
  const url = new URL(location.env.DATABASE_URL!);
  url.username = ROLE;
  const env = { ...location.env, DATABASE_URL: url.href, VAUBAN_SIMULATOR_BOOT_SECONDS: '0' };
  const service = await startService(t, { location: { ...location, env }, env });
  const customer = await newCustomer(service);
  const { vm } = await customer.ask('POST', '/v1/vm', VM);
  await customer.settled(vm.id);
  const change = { plan: 's2', allow_reboot: true };
  await customer.ask('POST', `/v1/vm/${vm.id}/change-plan`, change);
  await customer.settled(vm.id);
  await customer.ask('DELETE', `/v1/vm/${vm.id}`);
  await customer.settled(vm.id);
  const { superuser, sessions } = await one<{ superuser: string; sessions: number }>(
    owner,
    sql`select current_user as superuser, count(*)::int as sessions from pg_stat_activity
      where datname = current_database() and usename = ${ROLE}`,
  );
  assert.ok(sessions > 0, 'the service is that role');
  await service.stop();

  const db = openPostgres(url.href);
  t.after(() => db.close());
  const nextMonth = new Date(Date.now() + 32 * 86_400_000);
  assert.equal(await issueInvoices(db, nextMonth), 2);
  await recognizeRevenue(db, nextMonth);
  for (const attempt of [
    'update journal set amount_minor = 1',
    'delete from journal',
    'update order_lines set tax_rate = 0',
    'delete from orders',
    'update orders set amount_minor = 1',
    'update invoices set currency = currency',
    'delete from invoices',
    'update payments set amount_minor = 1',
    'delete from invoice_corrections',
    'update promo_credits set amount_minor = 1',
    'delete from promo_credits',
    'update promo_draws set amount_minor = 1',
    ...['journal', 'orders', 'order_lines', 'invoices', 'payments', 'number_series'].map(
      (table) => `truncate ${table} cascade`,
    ),
  ])
    await assert.rejects(db.script(attempt), /permission denied/, attempt);
  for (const attempt of [
    'alter table journal disable trigger all',
    'drop trigger journal_append_only on journal',
    'drop table journal',
  ])
    await assert.rejects(db.script(attempt), /must be owner/, attempt);
  for (const attempt of ['set session_replication_role = replica', `set role ${superuser}`])
    await assert.rejects(db.script(attempt), /permission denied/, attempt);
  await assert.rejects(db.script(`update orders set status = 'pending'`), /never changes/);
  await assertInvariants(owner);
});
