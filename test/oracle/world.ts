import type { TestContext } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { endPromoCredits } from '../../server/jobs/timers/end-promo.ts';
import { PriceNotices } from '../../server/jobs/timers/price-notices.ts';
import { purgeExpired } from '../../server/jobs/timers/purge-expired.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { giveRenewalNotices } from '../../server/jobs/timers/renewal-notices.ts';
import { throttleTraffic } from '../../server/jobs/timers/throttle-traffic.ts';
import { Failures } from '../../server/platform/failures.ts';
import { sellAddOn } from '../jobs/support/add-ons.ts';
import { type Customer, openCustomer, type Reply } from '../jobs/support/customer.ts';
import {
  type Installation,
  openInstallation,
  type TestNode,
  unfinishedJobs,
} from '../jobs/support/installation.ts';
import { Operator } from '../jobs/support/operator.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { UnsteadyClock } from '../support/unsteady-clock.ts';
import { Rational } from './rational.ts';
import { type Catalog, DIGITS } from './tariff.ts';
import { SELLER, TAX_RATES } from './tax.ts';

/** The service, of which the oracle knows only the API and how to make time pass. */
export class World {
  readonly #installation: Installation;
  readonly #clock: UnsteadyClock;
  readonly #node: TestNode;
  readonly operator: Operator;
  #notices: PriceNotices;

  static async open(t: TestContext, start: string, currency: string): Promise<World> {
    const clock = new UnsteadyClock(start);
    const installation = await openInstallation(await freshDatabase(t), { clock });
    defer(t, () => installation.close());
    const world = new World(installation, clock, await installation.openNode());
    const { prices } = world;
    prices.currency = currency;
    for (const plan of prices.plans) {
      plan.price_monthly = inCurrency(plan.price_monthly, currency);
      if (plan.price_hourly && currency === 'JPY') plan.price_hourly = hundredfold(plan.price_hourly);
      // Small enough to be used up.
      if (plan.bandwidth_gb !== null) plan.bandwidth_gb /= 20;
    }
    prices.custom.price_hourly = { vcpu: '0.0034', ram_gb: '0.0017', disk_gb: '0.00007' };
    Object.assign(prices, { seller: SELLER, tax_rates: TAX_RATES, business_prices: 'net' });
    prices.usage = { traffic_per_gb: '0.0123', snapshot_gb_month: '1.234', max_unpaid_minor: 500 };
    const ends = { s2: { at_included: 'throttle', throttle_mbps: 10 }, s8: { at_included: 'stop' } } as const;
    for (const plan of prices.plans) Object.assign(plan, ends[plan.code as keyof typeof ends]);
    Object.assign(prices.custom, {
      bandwidth_gb: { vcpu: 100, ram_gb: 33, disk_gb: 1 },
      at_included: 'throttle',
      throttle_mbps: 20,
    });
    const month = (euros: string) => inCurrency(euros, currency);
    prices.add_ons = [
      { code: 'address', name: 'Extra IPv4 address', price_monthly: month('2.37'), max_quantity: 4 },
      { code: 'backup', name: 'Backups', price_monthly: month('1.01'), max_quantity: 3 },
    ];
    prices.sla = {
      credits: [
        { uptime_below: '99.9', percent: 10 },
        { uptime_below: '99', percent: 25 },
      ],
    };
    return world;
  }

  private constructor(installation: Installation, clock: UnsteadyClock, node: TestNode) {
    this.#installation = installation;
    this.#clock = clock;
    this.#node = node;
    this.operator = new Operator(installation.services);
    this.#notices = this.#newNotices();
  }

  /** Stands for a restart of the service, which reads the edited catalog and checks all VMs. */
  restartNotices(): void {
    this.#notices = this.#newNotices();
  }

  #newNotices(): PriceNotices {
    const { services } = this.#installation;
    return new PriceNotices(services, new Failures(services));
  }

  get prices(): Catalog {
    return this.#installation.services.catalog;
  }

  get now(): number {
    return this.#clock.now().getTime();
  }

  setAddOn(customer: Customer, vmId: string, addOn: string, quantity: number): Promise<Reply> {
    return sellAddOn(this.#installation.services, customer, vmId, { addOn, quantity });
  }

  customer(): Promise<Customer> {
    return openCustomer(this.#installation, 0n);
  }

  advance(ms: number): void {
    this.#clock.advance(ms);
  }

  putBack(ms: number): void {
    this.#clock.putBack(ms);
  }

  /** Runs the service's timers that concern money. */
  async tick(sweeps: boolean): Promise<void> {
    const { services } = this.#installation;
    const failures = new Failures(services);
    await endPromoCredits(services, failures);
    await renewVms(services, failures);
    await this.#notices.run();
    await giveRenewalNotices(services, failures);
    await throttleTraffic(services, failures);
    if (sweeps) await purgeExpired(services);
  }

  /** Runs all jobs to completion at the same instant. */
  async work(): Promise<void> {
    const { db } = this.#installation.services;
    for (let left = await unfinishedJobs(db); left.length > 0; left = await unfinishedJobs(db)) {
      await db.query(sql`update jobs set next_attempt_at = null where next_attempt_at is not null`);
      for (const id of left) await this.#node.runner.runToEnd(id);
    }
  }
}

/** Converts a price of the shipped catalog to another currency: 3.99 becomes 399 yen or 3.995 dinars. */
function inCurrency(price: string, currency: string): string {
  const digits = DIGITS[currency]!;
  if (digits === 0) return price.replace('.', '');
  return digits === 2 ? price : `${price}5`;
}

/** Multiplies a price of fractions of a unit: 0.0060 becomes 0.60 yen. */
function hundredfold(price: string): string {
  return Rational.parse(price).times(new Rational(100n)).toDecimal(4);
}
