import { sql } from '../../../server/db/database.ts';
import { systemFindVm, type VmRow } from '../../../server/db/queries/vms/vms.ts';
import { renewVms } from '../../../server/jobs/timers/renew-vms.ts';
import { type Customer, openCustomer } from './customer.ts';
import { type Fixture, PURCHASE } from './fixture.ts';

/** A stage on which VMs live for months. */

export function tenant(fixture: Fixture, amountMinor: bigint): Promise<Customer> {
  return openCustomer(fixture.installation, amountMinor);
}

/** Buys a VM of {@link PURCHASE} (6.99 per month), with `wish` replacing parts of it, and waits until it exists. */
export async function buyVm(fixture: Fixture, customer: Customer, wish: object = {}): Promise<string> {
  const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body: { ...PURCHASE, ...wish } });
  await fixture.finish();
  return vm.id;
}

/** Sets the clock to `instant` and runs everything that is due by then. */
export async function comes(fixture: Fixture, instant: string): Promise<void> {
  const { services } = fixture.installation;
  services.clock.set(new Date(instant));
  await renewVms(services);
  await fixture.finish();
}

export async function vmOf(fixture: Fixture, id: string): Promise<VmRow> {
  return (await systemFindVm(fixture.db, id))!;
}

export async function powerOf(fixture: Fixture, id: string): Promise<string | undefined> {
  return (await fixture.installation.services.compute.inspect(id))?.power;
}

/** Returns the amounts of a VM's renewals, oldest first. */
export async function renewalsOf(fixture: Fixture, vmId: string): Promise<bigint[]> {
  const rows = await fixture.db.query<{ amount_minor: bigint }>(sql`
    select amount_minor from orders where vm_id = ${vmId} and kind = 'renew' order by created_at`);
  return rows.map(({ amount_minor }) => amount_minor);
}

/** Returns the types of a VM's events with the service as actor, from `since` on, oldest first. */
export async function eventsOf(fixture: Fixture, vmId: string, since: string): Promise<string[]> {
  const rows = await fixture.db.query<{ type: string }>(sql`
    select type from events where vm_id = ${vmId} and actor_type = 'system' and created_at >= ${new Date(since)}
    order by created_at, type`);
  return rows.map(({ type }) => type);
}
