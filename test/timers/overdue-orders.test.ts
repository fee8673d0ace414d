import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { watchMoney } from '../../server/jobs/timers/overdue-orders.ts';
import { purgeExpired } from '../../server/jobs/timers/purge-expired.ts';
import { Fixture, PURCHASE } from '../jobs/support/fixture.ts';
import { buyVm, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const HOUR_MS = 3_600_000;

test('no order is pending for more than twelve hours, and its age is a metric', async (t) => {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const { services } = fixture.installation;
  const customer = await tenant(fixture, 100_00n);
  const id = await buyVm(fixture, customer);
  // No node runs these jobs, as if every node hung.
  const body = { plan: 's4', allow_reboot: true };
  await customer.must({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body });
  const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body: PURCHASE });
  const pending = () =>
    fixture.db.query<{ kind: string }>(sql`select kind from orders where status = 'pending'`);
  const age = async () => {
    await watchMoney(services);
    return Number(/^vauban_order_pending_seconds (\S+)$/m.exec(await services.metrics.text())![1]);
  };
  services.clock.advance(12 * HOUR_MS);
  await purgeExpired(services);
  assert.equal((await pending()).length, 2);
  assert.equal(await age(), 12 * 3600);
  const { held_minor } = await customer.wallet();
  assert.ok(held_minor > 0n);
  services.clock.advance(1);
  await purgeExpired(services);
  assert.deepEqual(await pending(), []);
  assert.equal(await age(), 0);
  const wallet = await customer.wallet();
  assert.deepEqual([wallet.available_minor, wallet.held_minor], [100_00n - 699n, 0n]);
  assert.equal((await vmOf(fixture, id)).status, 'error');
  assert.equal((await vmOf(fixture, vm.id)).active_job_id, null);
  const [event] = await customer.must({ method: 'GET', path: `/v1/vm/${id}/events?type=job.failed` });
  assert.match(event.message, /not finished after 12 hours\. The amount held for it has been released/);
  await assertInvariants(fixture.db);
});
