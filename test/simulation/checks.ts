import { sql } from '../../server/db/database.ts';
import { isBilled } from '../../server/db/queries/billed-vms.ts';
import type { VmRow } from '../../server/db/queries/vms.ts';
import { lookUpWallet } from '../../server/db/queries/wallets.ts';
import { renewalConfiguration } from '../../server/domain/billing/renewal-price.ts';
import { inventoryProblems, ledgerProblems } from '../support/invariants.ts';
import { billingLaws } from './billing-laws.ts';
import type { Tenant } from './tenant.ts';
import type { World } from './world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Judges a world that has come to rest. Remembers the invoices it has seen, as those must not change. */
export class Checks {
  readonly #world: World;
  readonly #issued = new Map<string, bigint>();

  constructor(world: World) {
    this.#world = world;
  }

  /** What is wrong, a sentence each. */
  async problems(): Promise<string[]> {
    const { db, clock } = this.#world.services;
    const problems = [...(await ledgerProblems(db)), ...(await inventoryProblems(db))];
    for (const [law, query] of Object.entries(billingLaws(clock.now()))) {
      for (const { what } of await db.query<{ what: string }>(query)) problems.push(`${law}: ${what}`);
    }
    problems.push(...(await this.#changedInvoices()), ...(await this.#neglected()));
    for (const tenant of this.#world.tenants) problems.push(...(await this.#misremembered(tenant)));
    return problems;
  }

  /** The same for what takes a question a VM. */
  async guestProblems(): Promise<string[]> {
    const { db, compute } = this.#world.services;
    const vms = await db.query<VmRow>(sql`select * from vms where ${isBilled}`);
    const problems: string[] = [];
    for (const vm of vms) {
      const guest = await compute.inspect(vm.id);
      const on = guest?.power === 'running';
      if (on !== (vm.status === 'running'))
        problems.push(`${vm.id} is ${vm.status}, its guest ${guest?.power}`);
    }
    return problems;
  }

  /** An issued invoice never changes, and none is issued before its month is over. */
  async #changedInvoices(): Promise<string[]> {
    const { db, clock } = this.#world.services;
    const rows = await db.query<{ id: string; total: bigint; status: string; period_end_at: Date }>(sql`
      select invoices.id, invoices.status, period_end_at, coalesce(sum(amount_minor), 0)::bigint as total
      from invoices left join orders on invoice_id = invoices.id group by invoices.id`);
    return rows.flatMap(({ id, total, status, period_end_at }) => {
      if (status === 'draft') return [];
      const known = this.#issued.get(id);
      this.#issued.set(id, total);
      if (period_end_at > clock.now()) return [`${id} was issued before its month was over`];
      return known === undefined || known === total
        ? []
        : [`${id} was issued over ${known}, now says ${total}`];
    });
  }

  /** VMs whose period is over although their owner can pay, and unpaid ones that were let go on. */
  async #neglected(): Promise<string[]> {
    const { db, clock, catalog } = this.#world.services;
    const now = clock.now().getTime();
    const due = await db.query<VmRow>(
      sql`select * from vms where ${isBilled} and billing_period_end_at <= ${clock.now()}`,
    );
    const problems: string[] = [];
    for (const vm of due) {
      const { available_minor } = await lookUpWallet(db, vm.account_id);
      const price = renewalConfiguration(vm, catalog).price_monthly_minor;
      const late = now - vm.billing_period_end_at.getTime();
      const grace = vm.auto_renew ? catalog.grace.suspend_after_hours * HOUR_MS : 0;
      const suspendedFor = now - (vm.suspended_at?.getTime() ?? now);
      if (vm.auto_renew && available_minor >= price)
        problems.push(`${vm.id} is not renewed, though it could be`);
      if (!vm.unpaid_since) problems.push(`${vm.id} is unpaid and nobody says so`);
      if (late >= grace && vm.status !== 'suspended')
        problems.push(`${vm.id} is ${vm.status}, not suspended`);
      if (suspendedFor >= catalog.grace.delete_after_days * DAY_MS) problems.push(`${vm.id} is not deleted`);
    }
    return problems;
  }

  /** Where a customer's notebook and the service's books differ; only renewals happen unasked. */
  async #misremembered({ customer, orders, creditedMinor }: Tenant): Promise<string[]> {
    const { db } = this.#world.services;
    const { accountId } = customer;
    const booked = await db.query<{ id: string; amount_minor: bigint }>(sql`
      select id, amount_minor from orders where account_id = ${accountId} and kind <> 'renew'`);
    const problems = booked
      .filter(({ id, amount_minor }) => orders.get(id) !== Number(amount_minor))
      .map(({ id, amount_minor }) => `${id} is ${amount_minor}, its reply said ${orders.get(id)}`);
    if (booked.length < orders.size) problems.push(`${accountId} was told of orders that do not exist`);
    const [paid] = await db.query<{ paid: bigint }>(sql`
      select coalesce(sum(amount_minor), 0)::bigint as paid from payments where account_id = ${accountId}`);
    if (paid!.paid !== creditedMinor)
      problems.push(`${accountId} paid ${creditedMinor}, booked ${paid!.paid}`);
    return problems;
  }
}
