import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { systemFindVm } from '../../server/db/queries/vms/vms.ts';
import { endDeposit } from '../../server/domain/billing/settle-deposit.ts';
import { comes, vmOf } from '../jobs/support/landlord.ts';
import { linesOf, owner } from './hourly-support.ts';

test('a deposit that is overlooked just before the renewal is not held forever', async (t) => {
  const { fixture, customer, id } = await owner(t);
  const { services } = fixture.installation;
  const now = new Date('2026-02-01T00:00:00Z');
  // A node of the last release has changed the VM after this round looked for overlooked deposits.
  await fixture.db.query(
    sql`update vms set metered_since = ${new Date('2026-01-31T23:59:59Z')} where id = ${id}`,
  );
  await fixture.db.transaction(async (tx) => {
    const vm = (await systemFindVm(tx, id, true))!;
    assert.equal((await endDeposit(services, tx, vm, now)).deposit_minor, null);
  });
  const usage = await linesOf(fixture, id, 'hourly_usage');
  assert.deepEqual(
    usage.map(({ unit, amount_minor }) => [unit, amount_minor]),
    [
      ['deposit', -399n],
      ['month', 399n],
    ],
  );
  await comes(fixture, now.toISOString());
  const { held_minor } = await customer.must({ method: 'GET', path: '/v1/billing/wallet' });
  assert.deepEqual([held_minor, (await vmOf(fixture, id)).deposit_minor], [399, 399n]);
});
