import { sql } from '../../server/db/database.ts';
import { isBilled } from '../../server/db/queries/money/billed-vms.ts';
import { withMeters } from '../../server/db/queries/money/meters.ts';
import { lookUpWallet } from '../../server/db/queries/money/wallets.ts';
import type { VmRow } from '../../server/db/queries/vms/vms.ts';
import { arrearsOf } from '../../server/domain/billing/arrears.ts';
import { catalogOf } from '../../server/domain/billing/buyers.ts';
import { inventoryProblems, moneyProblems } from '../support/invariants.ts';
import { addOnLaws } from './add-ons.ts';
import { billingLaws, offencesAgainst } from './billing-laws.ts';
import { correctionLaws } from './correction-laws.ts';
import { memberLaws, wokenUp } from './members.ts';
import { takeBackProblems } from './take-backs.ts';
import { speedProblems, throttleProblems } from './throttle-laws.ts';
import { SKEW_MS, type World } from './world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

/** Checks a world at rest. Remembers the invoices that it has seen, because those must not change. */
export class Checks {
  readonly #world: World;
  readonly #issued = new Map<string, string>();

  constructor(world: World) {
    this.#world = world;
  }

  /** Returns the problems, one sentence each. */
  async problems(): Promise<string[]> {
    const { db, clock } = this.#world.services;
    const problems = [...(await moneyProblems(db)), ...(await inventoryProblems(db))];
    const latest = new Date(clock.now().getTime() + SKEW_MS);
    const laws = {
      ...billingLaws(latest, `${SKEW_MS} milliseconds`),
      ...correctionLaws(latest),
      ...addOnLaws,
      ...memberLaws,
    };
    const offences = await db.query<{ law: string; what: string }>(offencesAgainst(laws));
    problems.push(...offences.map(({ law, what }) => `${law}: ${what}`));
    problems.push(
      ...this.#world.unexpected,
      ...(await this.#changedInvoices()),
      ...(await this.#neglected()),
      ...(await this.#misremembered()),
      ...(await wokenUp(this.#world)),
      ...(await throttleProblems(this.#world.services)),
    );
    return problems;
  }

  /** Like `problems`, for the checks that need one query per VM. */
  async guestProblems(): Promise<string[]> {
    const { db, compute } = this.#world.services;
    const vms = await db.query<VmRow>(sql`select * from vms where ${isBilled}`);
    const problems = await speedProblems(db, this.#world.services);
    for (const vm of vms) {
      const guest = await compute.inspect(vm.id);
      const on = guest?.power === 'running';
      if (on !== (vm.status === 'running'))
        problems.push(`${vm.id} is ${vm.status}, its guest ${guest?.power}`);
    }
    return problems;
  }

  /** Invoices and lines that changed after issue, and invoices issued before the end of their month. */
  async #changedInvoices(): Promise<string[]> {
    const rows = await this.#world.services.db.query<{ id: string; text: string; early: boolean }>(sql`
      select invoices.id, issued_at < period_end_at as early, md5(string_agg(
        concat(invoices, orders, order_lines), '' order by order_id, position)) as text
      from invoices join orders on invoice_id = invoices.id join order_lines on order_id = orders.id
      where invoices.status <> 'draft' group by invoices.id`);
    return rows.flatMap(({ id, text, early }) => {
      const known = this.#issued.get(id) ?? text;
      this.#issued.set(id, text);
      if (early) return [`${id} was issued before its month was over`];
      return known === text ? [] : [`${id} has changed since it was issued`];
    });
  }

  /** VMs whose period is over although their owner can pay, and unpaid VMs that were not suspended. */
  async #neglected(): Promise<string[]> {
    const { db, clock, catalog } = this.#world.services;
    const now = clock.now().getTime();
    const due = await db.query<VmRow>(
      sql`select * from vms where ${isBilled} and billing_period_end_at <= ${clock.now()}`,
    );
    const problems: string[] = [];
    for (const vm of await withMeters(db, due)) {
      const { available_minor } = await lookUpWallet(db, vm.account_id);
      const price = arrearsOf(vm, await catalogOf(db, catalog, vm.account_id), clock.now())!.total_minor;
      const late = now - vm.billing_period_end_at.getTime();
      const heldFor = vm.billing_period_end_at.getTime() - (vm.upgraded_at?.getTime() ?? 0);
      const retired = vm.retires_at !== null && vm.billing_period_end_at >= vm.retires_at;
      const renews = vm.auto_renew && !retired;
      const hasGrace = renews && heldFor >= 72 * HOUR_MS;
      const grace = hasGrace ? 72 * HOUR_MS : 0;
      // The node whose clock is ahead may have just ended the grace period: by this clock it ends within moments.
      const endsIn = (vm.grace_ended_at?.getTime() ?? now) - now;
      const ends = endsIn > 0 && endsIn <= SKEW_MS;
      // A failed attempt is retried within the hour.
      const waits = (vm.dunning_next_at?.getTime() ?? now) - now;
      if (waits > HOUR_MS) problems.push(`${vm.id} is left alone until ${vm.dunning_next_at}`);
      const suspendedFor = now - (vm.suspended_at?.getTime() ?? now);
      if (renews && available_minor >= price) problems.push(`${vm.id} is not renewed, though it could be`);
      if (!vm.unpaid_since) problems.push(`${vm.id} is unpaid and not marked so`);
      if (late >= grace && !vm.suspended_at && waits <= 0 && !ends)
        problems.push(`${vm.id} is ${vm.status}, not suspended`);
      if (suspendedFor >= 11 * DAY_MS && !vm.deletion_notice_at)
        problems.push(`${vm.id} has no notice of its deletion`);
      const noticedFor = now - (vm.deletion_notice_at?.getTime() ?? now);
      if (suspendedFor >= 14 * DAY_MS && noticedFor >= 3 * DAY_MS && waits <= 0)
        problems.push(`${vm.id} is not deleted`);
    }
    return problems;
  }

  /** Differences between the customers' notebooks and the service's books. */
  async #misremembered(): Promise<string[]> {
    const { db } = this.#world.services;
    const tenants = [...this.#world.tenants, ...this.#world.gone];
    const booked = await db.query<{
      id: string;
      account_id: string;
      unasked: boolean;
      amount_minor: bigint;
    }>(sql`
      select id, account_id, kind in ('renew', 'hourly_usage', 'delete_refund') or outage_id is not null as unasked, amount_minor from orders`);
    const paid = await db.query<{ account_id: string; paid: bigint }>(
      sql`select account_id, sum(amount_minor)::bigint as paid from payments group by 1`,
    );
    const noted = new Map(tenants.flatMap(({ orders }) => [...orders]));
    // The service places these orders without a request: renewals, usage of past months, credits for outages, and the
    // deletion of unpaid VMs.
    const problems = booked
      .filter(({ id, unasked }) => noted.has(id) || !unasked)
      .filter(({ id, amount_minor }) => noted.get(id) !== Number(amount_minor))
      .map(({ id, amount_minor }) => `${id} is ${amount_minor}, its reply said ${noted.get(id)}`);
    const owners = new Map(booked.map(({ id, account_id }) => [id, account_id]));
    const { problems: untold, takenOf } = await takeBackProblems(db, tenants);
    problems.push(...untold);
    const sums = new Map(paid.map((row) => [row.account_id, row.paid]));
    for (const { customer, orders, creditedMinor } of tenants) {
      const { accountId } = customer;
      for (const id of orders.keys())
        if (owners.get(id) !== accountId)
          problems.push(`${accountId} was told of ${id}, which it does not have`);
      const sum = sums.get(accountId) ?? 0n;
      const paid = creditedMinor - (takenOf.get(accountId) ?? 0n);
      if (sum !== paid) problems.push(`${accountId} paid ${paid}, booked ${sum}`);
    }
    return problems;
  }
}
