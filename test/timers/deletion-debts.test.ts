import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { auditNow } from '../../server/domain/billing/audit/audit.ts';
import { buyVm, comes, eventsOf, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';
import { open, send, summary } from './usage-support.ts';

const NOON = '2026-01-16T12:00:00Z';

/** Deletes an s2 whose usage costs 5.00; its unused time is worth 3.49, and the wallet has 0.50. */
async function deleteUnpaid(t: TestContext) {
  const opened = await open(t, 749n);
  const { fixture, customer } = opened;
  const id = await buyVm(fixture, customer);
  fixture.installation.services.clock.set(new Date(NOON));
  await send(fixture, id, '2026-01-16', 1000);
  const preview = await customer.must({ method: 'GET', path: `/v1/vm/${id}/delete-preview` });
  const { refund } = await customer.must({ method: 'DELETE', path: `/v1/vm/${id}` });
  await fixture.finish();
  return { ...opened, id, preview, refund };
}

const owedMinor = async ({ customer }: Pick<Awaited<ReturnType<typeof open>>, 'customer'>) =>
  (await customer.must({ method: 'GET', path: '/v1/billing/wallet' })).debt_minor;

test('the usage of a deleted VM is a debt, and blocks purchases until it is paid', async (t) => {
  const { fixture, customer, id, preview, refund } = await deleteUnpaid(t);
  for (const { charged_minor, written_off_minor, debt_minor } of [preview, refund])
    assert.deepEqual([charged_minor, written_off_minor, debt_minor], [50, 0, 101]);
  assert.equal(await owedMinor({ customer }), 101);
  const { debt_minor, shortfall_minor, overdue_minor } = await summary(customer);
  assert.deepEqual([debt_minor, shortfall_minor, overdue_minor], [101, 101, 0]);
  assert.deepEqual(await eventsOf(fixture, id, NOON), ['billing.debt', 'vm.deleted']);
  await assertInvariants(fixture.db);

  const again = { plan: 's2', template: 'debian-12', hostname: 'again' };
  const refused = await customer.call({ method: 'POST', path: '/v1/vm', body: again });
  assert.equal(refused.error?.code, 'insufficient_funds');
  assert.equal(refused.error?.details?.debt_minor, 101);

  // A top-up below the debt pays a part of it, and the next one pays the rest.
  await customer.topUp(60n);
  assert.deepEqual([(await customer.wallet()).available_minor, await owedMinor({ customer })], [0n, 41]);
  await assertInvariants(fixture.db);
  await customer.topUp(800n);
  assert.deepEqual([(await customer.wallet()).available_minor, await owedMinor({ customer })], [759n, 0]);
  await buyVm(fixture, customer);
  await assertInvariants(fixture.db);
  const booked = await fixture.db.query<{ debit: string; credit: string; amount: bigint }>(
    sql`select debit, credit, amount_minor as amount from journal where 'receivable' in (debit, credit) order by id`,
  );
  assert.deepEqual(booked, [
    { debit: 'receivable', credit: 'wallet', amount: 101n },
    { debit: 'wallet', credit: 'receivable', amount: 60n },
    { debit: 'wallet', credit: 'receivable', amount: 41n },
  ]);
});

test('the refund of another VM pays the debt in the next round', async (t) => {
  const { fixture, customer } = await open(t, 1500n);
  const [heavy, other] = [await buyVm(fixture, customer), await buyVm(fixture, customer)];
  fixture.installation.services.clock.set(new Date(NOON));
  await send(fixture, heavy, '2026-01-16', 1000);
  // 5.00 less 3.49; the wallet has 1.02 of the difference.
  await customer.must({ method: 'DELETE', path: `/v1/vm/${heavy}` });
  await fixture.finish();
  assert.equal(await owedMinor({ customer }), 49);
  await customer.must({ method: 'DELETE', path: `/v1/vm/${other}` });
  await fixture.finish();
  await comes(fixture, '2026-01-16T12:01:00Z');
  assert.deepEqual([(await customer.wallet()).available_minor, await owedMinor({ customer })], [300n, 0]);
  await assertInvariants(fixture.db);
});

test('a VM that the service deletes leaves its usage as a debt', async (t) => {
  const { fixture, customer } = await open(t, 750n);
  const id = await buyVm(fixture, customer);
  await send(fixture, id, '2026-01-10', 1100);
  for (const at of ['02-01', '02-04', '02-15', '02-18']) await comes(fixture, `2026-${at}T00:00:00Z`);
  assert.notEqual((await vmOf(fixture, id)).deleted_at, null);
  assert.equal(await owedMinor({ customer }), 49);
  await assertInvariants(fixture.db);
});

test('the audit finds a debt that was edited', async (t) => {
  const { fixture } = await deleteUnpaid(t);
  for (const [edit, undo] of [
    ['update vm_debts set owed_minor = owed_minor - 1', 'update vm_debts set owed_minor = owed_minor + 1'],
    ['update wallets set claimed_minor = 0', 'update wallets set claimed_minor = 101'],
  ] as const) {
    await fixture.db.script(edit);
    assert.notDeepEqual(await auditNow(fixture.db), [], edit);
    await fixture.db.script(undo);
  }
  await assertInvariants(fixture.db);
});
