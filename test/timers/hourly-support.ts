import type { TestContext } from 'node:test';
import { sql } from '../../server/db/database.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, tenant } from '../jobs/support/landlord.ts';

/** Hourly unit prices of custom configurations, which the shipped catalog omits. */
export const CUSTOM_HOUR = { vcpu: '0.0034', ram_gb: '0.0017', disk_gb: '0.00007' };

/** A customer whose VM of plan s1 (3.99 per month, 0.006 per hour) is billed hourly since 1 January. */
export async function owner(t: TestContext, funds = 100_00n, wish: object = {}) {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const { catalog } = fixture.installation.services;
  catalog.custom.price_hourly = CUSTOM_HOUR;
  catalog.tax_rate = '0.20';
  const customer = await tenant(fixture, funds);
  const id = await buyVm(fixture, customer, { plan: 's1', billing: 'hourly', ...wish });
  const path = `/v1/vm/${id}`;
  const at = (instant: string) => fixture.installation.services.clock.set(new Date(instant));
  const read = (what = '') => customer.must({ method: 'GET', path: path + what });
  const patch = (body: object) => customer.call({ method: 'PATCH', path, body });
  const change = async (body: object) => {
    const call = {
      method: 'POST',
      path: `${path}/change-plan`,
      body: { allow_reboot: true, ...body },
    } as const;
    const reply = await customer.call(call);
    await fixture.finish();
    return reply;
  };
  const remove = async () => {
    const { refund } = await customer.must({ method: 'DELETE', path });
    await fixture.finish();
    return refund;
  };
  return { fixture, customer, id, at, read, patch, change, remove };
}

/** Returns the lines of a VM's orders of a kind. */
export async function linesOf(fixture: Fixture, vmId: string, kind: string) {
  return fixture.db.query<{ description: string; quantity: number; unit: string; amount_minor: bigint }>(sql`
    select description, quantity, unit, order_lines.amount_minor from order_lines join orders on orders.id = order_id
    where vm_id = ${vmId} and kind = ${kind} order by order_id, position`);
}

export const available = async (customer: Customer) => Number((await customer.wallet()).available_minor);
