import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const DAY_MS = 86_400_000;

for (const billing of ['monthly', 'hourly'])
  test(`a VM whose deletion was given up is refunded once, even if the clock is set back (${billing})`, async (t) => {
    const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
    const customer = await tenant(fixture, 100_00n);
    const id = await buyVm(fixture, customer, { plan: 's1', billing });
    const path = `/v1/vm/${id}`;
    fixture.clock.set(new Date('2026-01-11T00:00:00Z'));
    fixture.trouble = {
      engine(_, operation) {
        if (operation === 'remove') throw new Error('cannot');
      },
    };
    const { refund } = await customer.must({ method: 'DELETE', path });
    assert.ok(refund.amount_minor > 0);
    await fixture.finish();
    assert.ok((await vmOf(fixture, id)).deletion_failed_at);
    fixture.trouble = {};
    const { available_minor } = await customer.wallet();
    fixture.clock.putBack(2 * DAY_MS);
    const preview = await customer.must({ method: 'GET', path: `${path}/delete-preview` });
    assert.equal(preview.refund_minor, 0);
    assert.equal((await customer.must({ method: 'DELETE', path })).refund.amount_minor, 0);
    await fixture.finish();
    assert.equal((await customer.wallet()).available_minor, available_minor);
    await assertInvariants(fixture.db);
  });
