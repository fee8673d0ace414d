import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, raw, sql } from '../../server/db/database.ts';
import { setDebtWarnedAt } from '../../server/db/queries/money/debt-suspensions.ts';
import { noteGrace } from '../../server/db/queries/money/graces.ts';
import { updateVm } from '../../server/db/queries/vms/vms.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const AT = new Date('2026-01-02T00:00:00Z');
const LATER = `'2026-01-03T00:00:00Z'`;

/** Edits rows like a superuser who disables triggers. */
const edit = (db: Database, table: string, change: string) =>
  db.transaction(async (tx) => {
    await tx.query(sql`set local session_replication_role = replica`);
    await tx.query(sql`update ${raw(table)} set ${raw(change)}`);
  });

test('edits of a throttle, a debt suspension, a warning and a grace are found', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const { db } = fixture;
  const customer = await tenant(fixture, 1000n);
  const id = await buyVm(fixture, customer);
  const { account_id } = await vmOf(fixture, id);
  await updateVm(db, id, { throttle_mbps: 10, throttle_cause: 'unpaid_usage', debt_suspended_at: AT }, AT);
  await setDebtWarnedAt(db, account_id, AT);
  await noteGrace(db, account_id, AT);
  await assertInvariants(db);
  for (const [table, column, value, before] of [
    ['vms', 'throttle_mbps', '1000', '10'],
    ['vms', 'throttle_cause', `'included_traffic'`, `'unpaid_usage'`],
    ['vms', 'debt_suspended_at', 'null', `'${AT.toISOString()}'`],
    ['wallets', 'debt_warned_at', LATER, `'${AT.toISOString()}'`],
    ['wallets', 'grace_began_at', 'null', `'${AT.toISOString()}'`],
  ]) {
    await edit(db, table!, `${column} = ${value}`);
    await assert.rejects(assertInvariants(db), /is not as it was written/, column);
    await edit(db, table!, `${column} = ${before}`);
    await assertInvariants(db);
  }
});
