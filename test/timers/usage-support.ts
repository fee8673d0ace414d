import type { TestContext } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { addTraffic } from '../../server/db/queries/vms/bandwidth.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { tenant } from '../jobs/support/landlord.ts';

export const GB = 1_000_000_000;

export const DAY_MS = 86_400_000;

export interface Line {
  unit: string;
  quantity: number;
  unit_price: string;
  amount_minor: bigint;
  from_at: Date;
  to_at: Date;
}

/** Plan s2 (6.99 per month) with 1000 GB; 1.00 per 100 GB beyond that, 0.10 per GB of snapshots per month. */
export async function open(
  t: TestContext,
  funds: bigint,
  usage: object = { traffic_per_gb: '0.01', snapshot_gb_month: '0.1' },
) {
  const fixture = await Fixture.open(t, '2026-01-01T00:00:00Z');
  const { catalog } = fixture.installation.services;
  catalog.usage = usage;
  for (const plan of catalog.plans) plan.bandwidth_gb = plan.code === 's4' ? 3000 : 1000;
  const customer = await tenant(fixture, funds);
  return { fixture, customer };
}

export function send({ db }: Fixture, vm_id: string, date: string, gb: number): Promise<void> {
  return addTraffic(db, [{ vm_id, date, in_bytes: 9 * GB, out_bytes: gb * GB }]);
}

export function linesOf({ db }: Fixture, vmId: string, kind: string): Promise<Line[]> {
  return db.query<Line>(sql`
    select unit, quantity, unit_price, order_lines.amount_minor, from_at, to_at from order_lines join orders on orders.id = order_id
    where vm_id = ${vmId} and kind = ${kind} order by orders.created_at, orders.id, position`);
}

export const amounts = (lines: Line[]) => lines.map(({ unit, amount_minor }) => [unit, Number(amount_minor)]);

export const billing = (customer: Customer, id: string) =>
  customer.must({ method: 'GET', path: `/v1/vm/${id}/billing` });

export const summary = (customer: Customer) => customer.must({ method: 'GET', path: '/v1/billing/summary' });

/** Creates a snapshot of exactly that size, because engines report various sizes. */
export async function snapshotOf(
  fixture: Fixture,
  customer: Customer,
  id: string,
  gb: number,
): Promise<string> {
  const { snapshot } = await customer.must({ method: 'POST', path: `/v1/vm/${id}/snapshots` });
  await fixture.finish();
  await fixture.db.script(`
    alter table snapshot_usage disable trigger snapshot_usage_ended;
    update snapshots set size_bytes = ${gb * GB} where id = '${snapshot.id}';
    update snapshot_usage set size_bytes = ${gb * GB} where snapshot_id = '${snapshot.id}';
    alter table snapshot_usage enable trigger snapshot_usage_ended`);
  return snapshot.id;
}
