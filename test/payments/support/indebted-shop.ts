import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { sql } from '../../../server/db/database.ts';
import { systemFindVm } from '../../../server/db/queries/vms/vms.ts';
import { addMember, createPerson } from '../../../server/domain/people/create-person.ts';
import { renewVms } from '../../../server/jobs/timers/renew-vms.ts';
import { MAIL_PURPOSE } from '../../../server/mail/outbox.ts';
import { PURCHASE } from '../../jobs/support/fixture.ts';
import { paidShop } from './paid-shop.ts';

/**
 * A customer who has paid 50.00 at Stripe and owns a VM at 6.99 per month, in a shop whose catalog may suspend VMs for
 * debts.
 */
export async function indebtedShop(t: TestContext, suspendAfterHours?: number) {
  const shop = await paidShop(t);
  const { services, customer, work, db, clock } = shop;
  await db.transaction(async (tx) => {
    const owner = { email: 'ada@example.com', name: 'Ada', locale: 'de', passwordHash: null, verified: true };
    const { id: personId } = await createPerson(tx, clock, owner);
    await addMember(tx, clock, { personId, accountId: shop.accountId, role: 'owner' });
  });
  if (suspendAfterHours) services.catalog.debt = { suspend_after_hours: suspendAfterHours };
  const buy = async (hostname: string) => {
    const body = { ...PURCHASE, hostname };
    const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body });
    await work();
    return vm.id as string;
  };
  const id = await buy('web');
  clock.advance(60_000);
  /** Runs two rounds of everything: the second must not repeat anything. */
  const round = async () => {
    for (let n = 0; n < 2; n++) {
      await renewVms(services);
      await work();
    }
  };
  const of = async (vm = id) => (await systemFindVm(db, vm))!;
  return {
    ...shop,
    id,
    buy,
    round,
    of,
    /** Sets the clock to `instant` and runs everything that is due by then. */
    comes: async (instant: string) => {
      clock.set(new Date(instant));
      await round();
    },
    state: async (vm = id) => {
      const { status } = await of(vm);
      const power = (await services.compute.inspect(vm))?.power;
      assert.equal(power === 'running', status === 'running', `${status}, but ${power}`);
      return status;
    },
    events: async (vm = id) => {
      const rows = await db.query<{ type: string }>(sql`
        select type from events where vm_id = ${vm} and (type like 'billing.%' or type like 'vm.%ed' and type not like '%requested')
        order by created_at, type`);
      return rows.map(({ type }) => type);
    },
    /** Returns the mails about debts, with the amount and the time in each. */
    mails: async () => {
      const rows = await db.query<{ template: string; sealed_values: string }>(sql`
        select template, sealed_values from mails where template like '%debt%' order by created_at, id`);
      return rows.map(({ template, sealed_values }) => {
        const { vms } = JSON.parse(services.secrets.open(sealed_values, MAIL_PURPOSE));
        return [template, ...vms.map(({ hostname }: { hostname: string }) => hostname)].join(' ');
      });
    },
  };
}
