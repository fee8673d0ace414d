import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execute, sql } from '../../server/db/database.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { paidShop } from '../payments/support/paid-shop.ts';

test('a buyer with an invalid country changes no plan until it is corrected; existing VMs are renewed', async (t) => {
  const { customer, db, services, clock, accountId, work, books } = await paidShop(t);
  const body = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
  const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body });
  await work();
  await execute(
    db,
    sql`
    insert into billing_profiles (account_id, kind, name, street, city, country, updated_at)
    values (${accountId}, 'consumer', 'Ada', 'Street 1', 'Town', 'YU', ${clock.now()})`,
  );
  const change = {
    method: 'POST',
    path: `/v1/vm/${vm.id}/change-plan`,
    body: { plan: 's2', allow_reboot: true },
  } as const;
  const quote = () => customer.must({ method: 'GET', path: `/v1/vm/${vm.id}/plan-quote?plan=s2` });
  const refused = await customer.call(change);
  assert.deepEqual(
    [refused.status, refused.error?.code, refused.error?.details?.country],
    [409, 'invalid_state', 'YU'],
  );
  const { allowed, blockers } = await quote();
  assert.deepEqual([allowed, blockers[0]?.code], [false, 'invalid_state'], 'the quote says so before');
  clock.set(new Date('2026-02-01T00:00:00Z'));
  await renewVms(services);
  const renewed = await customer.must({ method: 'GET', path: `/v1/vm/${vm.id}` });
  assert.equal(renewed.billing_period_end_at, '2026-03-01T00:00:00.000Z');
  await books();
  await execute(db, sql`update billing_profiles set country = 'DE'`);
  assert.equal((await quote()).allowed, true);
  await customer.must(change);
});
