import assert from 'node:assert/strict';
import type { Created, Order, Vm, Wallet } from '../support/shapes.ts';
import { idle, type Subject, untilGone } from '../support/world.ts';

interface HourlyVm extends Vm {
  billing_mode: string;
  next_billing_mode: string;
  price_hourly: string;
}

interface Plan {
  code: string;
  price_hourly: string;
  price_monthly_minor: number;
  billing_modes: string[];
}

interface Line {
  unit: string;
  quantity: number;
  unit_price: string;
  amount_minor: number;
  from_at: string;
  to_at: string;
}

const HOUR_MS = 3_600_000;

/** A VM for about an hour: a month is held, and everything except for the hours that have begun is released. */
export async function hourly({ client }: Subject): Promise<void> {
  const { plans } = await client.ok<{ plans: Plan[] }>('getCatalog');
  const plan = plans.find(({ code }) => code === 's1')!;
  assert.deepEqual(plan.billing_modes, ['monthly', 'hourly']);
  const body = { plan: plan.code, template: 'debian-12', hostname: 'job-1', billing: 'hourly' };
  await client.refused('createVm', 'validation_failed', { body: { ...body, billing: 'weekly' } });
  const before = await client.ok<Wallet>('getWallet');
  const created = await client.ok<Created>('createVm', { body });
  assert.equal(created.order.amount_minor, plan.price_monthly_minor);
  const at = [created.vm.id];
  const vm = (await idle(client, created.vm.id)) as HourlyVm;
  const bill = await client.ok<HourlyVm>('getVmBilling', { at });
  for (const { billing_mode, next_billing_mode, price_hourly } of [vm, bill])
    assert.deepEqual(
      [billing_mode, next_billing_mode, price_hourly],
      ['hourly', 'hourly', plan.price_hourly],
    );
  const changed = await client.ok<HourlyVm>('updateVm', { at, body: { billing: 'monthly' } });
  assert.deepEqual([changed.billing_mode, changed.next_billing_mode], ['hourly', 'monthly']);

  const { refund } = await client.ok<{ refund: { amount_minor: number; order_id: string } }>('deleteVm', {
    at,
  });
  await untilGone(client, vm.id);
  const order = (await client.ok<Order[]>('listOrders')).find(({ id }) => id === refund.order_id)!;
  const ms = Date.parse(order.created_at) - Date.parse(vm.billing_period_start_at);
  const hours = Math.ceil((Math.floor(ms / 1000) * 1000) / HOUR_MS);
  const due = Math.min(Math.round(hours * Number(plan.price_hourly) * 100), plan.price_monthly_minor);
  assert.equal(refund.amount_minor, plan.price_monthly_minor - due);
  assert.equal((await client.ok<Wallet>('getWallet')).available_minor, before.available_minor - due);
  const { lines } = await client.ok<{ lines: Line[] }>('getInvoice', { at: [order.invoice_id!] });
  const [used, ...others] = lines.filter(
    ({ to_at, unit }) => unit === 'hour' || to_at === vm.billing_period_end_at,
  );
  assert.deepEqual(others, []);
  assert.deepEqual([used!.amount_minor, used!.quantity, used!.unit_price], [due, hours, plan.price_hourly]);
  assert.deepEqual([used!.from_at, used!.to_at], [vm.billing_period_start_at, order.created_at]);
}
