import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import type { Services } from '../../server/start/services.ts';
import type { Tenant } from './tenant.ts';

interface Charge {
  vm_id: string;
  amount_minor: number;
  due_at: string;
}

interface Summary {
  available_minor: number;
  promo_minor: number;
  debt_minor: number;
  overdue_minor: number;
  shortfall_minor: number;
  next_charges: Charge[];
}

/**
 * Runs one round of renewals in which nothing else happens. The amount taken from each wallet must follow from the
 * customer's ranking and from what the API showed before. Returns the differences, one sentence each.
 */
export async function renewalProblems(services: Services, tenants: Tenant[]): Promise<string[]> {
  const now = services.clock.now();
  const before = await Promise.all(tenants.map((tenant) => look(tenant, now)));
  await renewVms(services);
  const problems: string[] = [];
  for (const [index, { customer }] of tenants.entries()) {
    const { summary, due } = before[index]!;
    const asked = due.reduce((sum, { amount_minor }) => sum + amount_minor, 0);
    if (summary.overdue_minor !== asked)
      problems.push(`${customer.accountId} is asked for ${summary.overdue_minor}, its charges are ${asked}`);
    // Debts are paid before renewals, with money only.
    const money = summary.available_minor - summary.promo_minor - summary.debt_minor;
    const spendable = summary.promo_minor + Math.max(0, money);
    if (summary.shortfall_minor !== Math.max(0, -money) + Math.max(0, asked - spendable))
      problems.push(`${customer.accountId} lacks ${summary.shortfall_minor} of ${asked}`);
    // A deletion by the service charges the usage of a VM between the renewals.
    if (await lostVm(customer, now)) continue;
    let left = spendable;
    for (const { amount_minor } of due) if (left >= amount_minor) left -= amount_minor;
    const { available_minor } = await customer.wallet();
    if (Number(available_minor) !== left)
      problems.push(`${customer.accountId} has ${available_minor} after the renewals, expected ${left}`);
  }
  return problems;
}

/** Returns whether the service deleted a VM of the customer at `at`. */
async function lostVm(customer: Tenant['customer'], at: Date): Promise<boolean> {
  const path = '/v1/billing/orders?kind=delete_refund&limit=1';
  const [latest]: { created_at: string }[] = await customer.must({ method: 'GET', path });
  return latest?.created_at === at.toISOString();
}

/**
 * Reads what a customer sees: the due charges in the order of their ranking. The customer has few enough VMs for one
 * page.
 */
async function look({ customer }: Tenant, now: Date): Promise<{ summary: Summary; due: Charge[] }> {
  const summary: Summary = await customer.must({ method: 'GET', path: '/v1/billing/summary' });
  const vms: { id: string; renewal_priority: number }[] = await customer.must({
    method: 'GET',
    path: '/v1/vm?limit=100',
  });
  const rank = new Map(vms.map((vm) => [vm.id, vm.renewal_priority]));
  const due = summary.next_charges
    .filter(({ due_at }) => new Date(due_at) <= now)
    .toSorted(
      (a, b) =>
        rank.get(a.vm_id)! - rank.get(b.vm_id)! ||
        new Date(a.due_at).getTime() - new Date(b.due_at).getTime() ||
        (a.vm_id < b.vm_id ? -1 : 1),
    );
  return { summary, due };
}
