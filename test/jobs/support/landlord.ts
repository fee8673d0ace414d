import { sql } from '../../../server/db/database.ts';
import { systemFindVm, type VmRow } from '../../../server/db/queries/vms.ts';
import { renewVms } from '../../../server/jobs/timers/renew-vms.ts';
import { type Customer, openCustomer } from './customer.ts';
import { PURCHASE, type Stage } from './stage.ts';

/** A stage on which VMs live for months. */

/** A customer with that much money. */
export function tenant(stage: Stage, amountMinor: bigint): Promise<Customer> {
  return openCustomer(stage.installation, amountMinor);
}

/** Buys a VM of {@link PURCHASE} (6.99 a month), with `wish` instead of parts of it, and waits until it is there. */
export async function buyVm(stage: Stage, customer: Customer, wish: object = {}): Promise<string> {
  const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body: { ...PURCHASE, ...wish } });
  await stage.finish();
  return vm.id;
}

/** Lets it become `instant`, and everything happen that is due by then. */
export async function comes(stage: Stage, instant: string): Promise<void> {
  const { services } = stage.installation;
  services.clock.set(new Date(instant));
  await renewVms(services);
  await stage.finish();
}

export async function vmOf(stage: Stage, id: string): Promise<VmRow> {
  return (await systemFindVm(stage.db, id))!;
}

export async function powerOf(stage: Stage, id: string): Promise<string | undefined> {
  return (await stage.installation.services.compute.inspect(id))?.power;
}

/** Amounts of a VM's renewals, oldest first. */
export async function renewalsOf(stage: Stage, vmId: string): Promise<bigint[]> {
  const rows = await stage.db.query<{ amount_minor: bigint }>(sql`
    select amount_minor from orders where vm_id = ${vmId} and kind = 'renew' order by created_at`);
  return rows.map(({ amount_minor }) => amount_minor);
}

/** Types of what was logged of a VM by the service itself, oldest first, from `since` on. */
export async function eventsOf(stage: Stage, vmId: string, since: string): Promise<string[]> {
  const rows = await stage.db.query<{ type: string }>(sql`
    select type from events where vm_id = ${vmId} and actor_type = 'system' and created_at >= ${new Date(since)}
    order by created_at, type`);
  return rows.map(({ type }) => type);
}
