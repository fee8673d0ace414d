import type { Correction, Outage, Vm } from './account.ts';
import { debtOf, dispute } from './books.ts';
import {
  canCorrect,
  correct,
  type Decision,
  free,
  refundable,
  settleCorrection,
  slaCredit,
  spendable,
} from './corrections.ts';
import type { Tenant } from './observer.ts';
import type { Play } from './play.ts';
import { Rational } from './rational.ts';
import type { ListedAddOn, ListedPlan } from './tariff.ts';
import { BUYERS } from './tax.ts';
import { dateOf } from './usage.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TAX_RATES = ['0', '0.19', '0.20', '0.08875'] as const;
/** Hours of the shortest month: an hour costs at least that fraction of the month. */
const SHORTEST_MONTH = 672n;

const ACTIONS = { dispute: 1, meter: 6, free: 2, refund: 3, void: 2, outage: 1, address: 1 } as const;

/** The operator, who corrects the books and edits the catalog, and the meters, which report what VMs send. */
export class Operators {
  readonly #play: Play;
  /** The plan that was last removed from the catalog. */
  #withdrawn: ListedPlan | undefined;
  #withdrawnAddOn: ListedAddOn | undefined;
  /** The time of the provider's latest event, in seconds of its clock. */
  #told = 0;

  constructor(play: Play) {
    this.#play = play;
  }

  /** Acts on an account at random. */
  async act(tenant: Tenant): Promise<void> {
    const { prng } = this.#play;
    const action = prng.weighted(ACTIONS);
    if (action === 'meter') await this.#meter(tenant);
    else if (action === 'dispute') await this.#dispute(tenant);
    else if (action === 'outage') await this.#outage(tenant);
    else if (action === 'free') await this.#free(tenant);
    else if (action === 'address') await this.#address(tenant);
    else await this.#correct(tenant, action);
  }

  /** Once a month something in the catalog changes, most of it in turn. */
  editCatalog(month: number): void {
    const { prng, prices } = this.#play;
    if (month % 5 === 1) prices.tax_rate = prng.pick(TAX_RATES);
    if (month % 3 === 1) this.#reprice();
    if (month % 3 === 2) this.#announce();
    if (month % 4 === 3) this.#repriceAddOn();
    if (month % 8 === 6) this.#withdrawAddOn();
    if (month % 6 === 3) this.#repriceUsage();
    if (month % 4 === 0) prices.price_notice_days = prng.pick([0, 10, 20, 30]);
    if (month % 7 === 5) this.#retire();
    if (month % 6 === 2) this.#withdraw();
    if (month % 9 === 4) prices.business_prices = prices.business_prices === 'net' ? 'gross' : 'net';
    this.#play.world.restartNotices();
  }

  #reprice(): void {
    const { prng, prices } = this.#play;
    const plan = prng.pick(prices.plans)!;
    Object.assign(plan, this.#priceNear(plan.price_monthly, plan.price_hourly !== undefined));
    if (prng.chance(0.1)) delete plan.price_hourly;
  }

  /** Announces another price of a plan or of the parts from a day on, and from a later day for existing VMs. */
  #announce(): void {
    const { prng, prices } = this.#play;
    const ahead = prng.between(-3, 40);
    const dates = {
      valid_from: this.#day(ahead),
      ...(prng.chance(0.5) && { existing_from: this.#day(ahead + prng.between(0, 60)) }),
    };
    if (prng.chance(0.3)) {
      const { price_monthly, price_hourly } = prices.custom;
      const vcpu = this.#priceNear(price_monthly.vcpu, true);
      const month = { ...price_monthly, vcpu: vcpu.price_monthly };
      const hour = price_hourly && { ...price_hourly, vcpu: vcpu.price_hourly! };
      prices.custom.prices = [{ ...dates, price_monthly: month, price_hourly: hour }];
    } else {
      const plan = prng.pick(prices.plans)!;
      plan.prices = [{ ...dates, ...this.#priceNear(plan.price_monthly, prng.chance(0.8)) }];
    }
    this.#play.count('price announced');
  }

  /** Changes the price of an add-on, at once or from a day on. */
  #repriceAddOn(): void {
    const { prng, prices } = this.#play;
    const addOn = prng.pick(prices.add_ons!)!;
    const { price_monthly } = this.#priceNear(addOn.price_monthly, false);
    if (prng.chance(0.5)) addOn.price_monthly = price_monthly;
    else {
      const ahead = prng.between(-3, 40);
      const existing_from = this.#day(ahead + prng.between(0, 60));
      addOn.prices = [{ valid_from: this.#day(ahead), existing_from, price_monthly }];
    }
    this.#play.count('add-on repriced');
  }

  /** Removes an add-on from the catalog and brings the previous one back. */
  #withdrawAddOn(): void {
    const { prices } = this.#play;
    const back = this.#withdrawnAddOn;
    this.#withdrawnAddOn = prices.add_ons!.shift();
    if (back) prices.add_ons!.push(back);
    this.#play.count('add-on withdrawn');
  }

  #priceNear(price: string, isHourly: boolean): { price_monthly: string; price_hourly?: string } {
    const { prng } = this.#play;
    const digits = price.split('.')[1]?.length ?? 0;
    const unit = new Rational(1n, 10n ** BigInt(digits));
    const changed = Rational.parse(price)
      .over(unit)
      .plus(new Rational(BigInt(prng.between(-150, 150))));
    const month = changed.exceeds(Rational.zero) ? changed.times(unit) : Rational.parse(price);
    const hours = new Rational(SHORTEST_MONTH * 100n, BigInt(prng.between(102, 200)));
    const price_hourly = month
      .over(hours)
      .plus(new Rational(1n, 10n ** 6n))
      .toDecimal(6);
    return { price_monthly: month.toDecimal(digits), ...(isHourly && { price_hourly }) };
  }

  #repriceUsage(): void {
    const { prng, prices } = this.#play;
    const price = (most: number) => new Rational(BigInt(prng.between(0, most)), 1000n).toDecimal(4);
    prices.usage = {
      ...(prng.chance(0.8) && { traffic_per_gb: price(20) }),
      ...(prng.chance(0.8) && { snapshot_gb_month: price(2000) }),
      ...(prng.chance(0.7) && { max_unpaid_minor: prng.between(0, 2000) }),
    };
    const plan = prng.pick(prices.plans)!;
    if (prng.chance(0.5)) plan.traffic_per_gb = price(40);
    else delete plan.traffic_per_gb;
    plan.at_included = prng.pick(['bill', 'throttle', 'stop'] as const)!;
    plan.throttle_mbps = prng.between(1, 50);
  }

  #retire(): void {
    const { prng, prices } = this.#play;
    const plan = prng.pick(prices.plans.slice(2))!;
    if (plan.retires_on) delete plan.retires_on;
    else plan.retires_on = this.#day(prng.between(-3, 40));
    this.#play.count('retired');
  }

  /** Removes a plan from the catalog and brings the previous one back. */
  #withdraw(): void {
    const { prng, prices } = this.#play;
    const back = this.#withdrawn;
    this.#withdrawn = prng.pick(prices.plans.slice(2))!;
    prices.plans.splice(prices.plans.indexOf(this.#withdrawn), 1);
    if (back) prices.plans.push(back);
    this.#play.count('withdrawn');
  }

  #day(ahead: number): string {
    return dateOf(this.#play.now + ahead * DAY);
  }

  /** Meters some hundred GB, sometimes after midnight. */
  async #meter({ account }: Tenant): Promise<void> {
    const { prng, now, world } = this.#play;
    const vm = prng.pick(account.vms.filter(({ exists, gone, deleting }) => exists && !gone && !deleting));
    if (!vm) return;
    const bytes = prng.between(1, 1_500) * 1_000_000_007;
    const date = dateOf(now - (prng.chance(0.3) ? DAY : 0));
    await world.operator.meter({ vm_id: vm.id, date, in_bytes: 1, out_bytes: bytes });
    vm.meter.days.set(date, (vm.meter.days.get(date) ?? 0n) + BigInt(bytes));
    this.#play.count('metered');
  }

  /** Changes the buyer or the address of an account's invoices from now on. */
  async #address({ account, customer }: Tenant): Promise<void> {
    const { prng, world } = this.#play;
    account.buyer = prng.pick(BUYERS)!;
    await world.operator.setBuyer(customer, account.buyer);
    this.#play.count(`buyer of ${account.buyer.country}`);
  }

  /** A provider disputes a payment or changes a dispute: another amount, won, or lost after all. */
  async #dispute({ account }: Tenant): Promise<void> {
    const { prng, now, world } = this.#play;
    const known = prng.chance(0.5) ? prng.pick(account.disputes) : undefined;
    const topUp = known?.topUp ?? prng.pick(account.topUps);
    if (!topUp) return;
    const amountMinor = BigInt(prng.between(1, Number(topUp.amount)));
    const isVoid = known !== undefined && prng.chance(0.4);
    const providerRef = `dp_${topUp.id}_${known ? account.disputes.indexOf(known) : account.disputes.length}`;
    // Clocks are put back here, but the provider's clock is not.
    const toldAt = new Date(1_000 * ++this.#told);
    const id = await world.operator.takeBack(topUp.id, {
      kind: 'dispute',
      providerRef,
      amountMinor,
      isVoid,
      toldAt,
    });
    const one = known ?? { id, topUp, amount: 0n, taken: 0n, moves: 0, isWon: false };
    if (!known) account.disputes.push(one);
    dispute(account, one, { amount: amountMinor, isWon: isVoid }, now);
    this.#play.count(isVoid ? 'dispute won' : debtOf(account) > 0n ? 'dispute with debt' : 'dispute');
  }

  async #free(tenant: Tenant): Promise<void> {
    const { prng, now, world } = this.#play;
    const { account, customer } = tenant;
    const type = prng.pick(['credit', 'debit'] as const)!;
    const vm = prng.pick([...account.vms.filter(({ gone }) => !gone), null]) ?? null;
    const amount = BigInt(prng.between(1, 500));
    const reason = `${type} of month`;
    const decision = free(type, amount, reason, now, this.#play.pricesFor(tenant));
    const wish = { type, amountMinor: amount, vmId: vm?.id, reason };
    const made = await world.operator.adjust(customer, wish);
    this.#settled(tenant, vm, { decision, made, correction: { type, reason, corrects: null, outage: null } });
  }

  async #correct(tenant: Tenant, type: 'refund' | 'void'): Promise<void> {
    const { prng, world } = this.#play;
    const { account } = tenant;
    const order = prng.pick(account.orders.filter((one) => one.id !== null && canCorrect(type, one)));
    if (!order) return;
    const most = refundable(account, order);
    const amount = type === 'void' ? most : BigInt(prng.between(1, Number(most) + 10));
    const reason = `${type} ${account.orders.length}`;
    const decision =
      amount > most ? null : correct(account, order, { type, reason, amount }, this.#play.pricesFor(tenant));
    const made =
      type === 'void'
        ? await world.operator.void(order.id!, reason)
        : await world.operator.refund(order.id!, amount, reason);
    this.#settled(tenant, order.vm, {
      decision,
      made,
      correction: { type, reason, corrects: order, outage: null },
    });
  }

  /** Checks whether a correction was rightly made or refused. */
  #settled(
    tenant: Tenant,
    vm: Vm | null,
    {
      decision,
      made,
      correction,
    }: {
      decision: Decision | null;
      made: { id: string; amount_minor: bigint } | string;
      correction: Correction;
    },
  ): void {
    const { account } = tenant;
    const { observer, now } = this.#play;
    const { type } = correction;
    const covered = decision && decision.charge.total <= spendable(account, decision.promoMost);
    const amount = decision && covered ? decision.charge.total : null;
    const shown = typeof made === 'string' ? null : Number(made.amount_minor);
    this.#play.count(`${type} ${typeof made === 'string' ? made : 'ok'}`);
    observer.compare(this.#play.look(tenant), `adjustment.${type}`, shown, amount);
    if (typeof made === 'string' || !decision || !covered) return;
    settleCorrection(account, vm, { ...decision, correction, id: made.id }, now);
  }

  /** Reports and credits an outage of a region or a VM for some hours of the last days. */
  async #outage({ account }: Tenant): Promise<void> {
    const { prng, now, world, tenants, outages } = this.#play;
    const vm = prng.chance(0.6) ? (prng.pick(account.vms.filter(({ exists }) => exists)) ?? null) : null;
    const region = vm ? null : prng.pick(['eu-central', 'eu-west'])!;
    const to = now - prng.between(0, 5 * DAY);
    const from = to - prng.between(1, prng.chance(0.3) ? HOUR / 2 : 12 * HOUR);
    const reason = `Outage ${outages.length}`;
    const told = { region, vm_id: vm?.id ?? null, from: new Date(from), to: new Date(to), reason };
    const { id } = await world.operator.creditOutage(told);
    const outage: Outage = { id, vm, region, from, to, reason, credited: true };
    outages.push(outage);
    for (const tenant of tenants) {
      const had = tenant.account.vms.filter((one) => one === vm || one.region === region);
      for (const one of had) this.#credit(tenant, one, outage);
    }
    this.#play.count('outage');
  }

  #credit(tenant: Tenant, vm: Vm, outage: Outage): void {
    const { now, outages } = this.#play;
    const { account } = tenant;
    const charge = slaCredit(account, vm, outage, outages, this.#play.pricesFor(tenant));
    if (charge.lines.length === 0) return;
    const correction = { type: 'sla_credit', reason: outage.reason, corrects: null, outage } as const;
    settleCorrection(account, vm, { charge, correction, id: null }, now);
    this.#play.count('sla_credit');
  }
}
