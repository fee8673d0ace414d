import { ABSENCE_MS } from '../../server/cluster/membership.ts';
import { type Database, sql } from '../../server/db/database.ts';
import { BELIEVED_AFTER_MS } from '../../server/jobs/reconcilers/reconcile-guests.ts';
import { endPromoCredits } from '../../server/jobs/timers/end-promo.ts';
import { PriceNotices } from '../../server/jobs/timers/price-notices.ts';
import { purgeExpired } from '../../server/jobs/timers/purge-expired.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { vacuum } from '../../server/jobs/timers/vacuum.ts';
import { ManualClock } from '../../server/platform/clock.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Services } from '../../server/start/services.ts';
import { Customer, keyFor, openCustomer } from '../jobs/support/customer.ts';
import {
  type Installation,
  type InstallationOptions,
  openInstallation,
  runJobs,
  type TestNode,
  unfinishedJobs,
} from '../jobs/support/installation.ts';
import { ADD_ONS } from './add-ons.ts';
import { creditWholly, Operator, SLA } from './corrections.ts';
import { currencyOf, sellIn } from './currencies.ts';
import { Faults } from './faults.ts';
import { HOSTS, Hosts, isOutOfReach } from './hosts.ts';
import { rememberMembers } from './members.ts';
import { CUSTOM_HOUR, OPERATIONS, type OperationName } from './operations.ts';
import { outageProblems } from './outage-oracle.ts';
import { People } from './people.ts';
import { PRICE_NOTICE_DAYS } from './price-notice-days.ts';
import { Prng } from './prng.ts';
import { renewalProblems } from './renewal-oracle.ts';
import { collectAll, rememberTakeBacks } from './take-backs.ts';
import { Tenant } from './tenant.ts';
import { limitTraffic, throttleAll } from './throttle-laws.ts';
import { PROVIDERS } from './top-ups.ts';

const TENANTS = 40;
/** Small enough to be reached, also by two VMs that grow at the same time. */
const QUOTA = { vms: 10, vcpu: 40 };
/** A customer's initial balance in minor units: three small VMs or one large one. */
const FIRST_FUNDS = 25_00n;
/** Operations in progress at once: twice the connections that a node has to PostgreSQL. */
const LANES = 16;
/** Lead of the second node's clock over the first one's. */
export const SKEW_MS = 5 * 60_000;
/** An unpaid VM may be several steps behind after a jump in time; each round takes one step. */
const CATCH_UP_ROUNDS = 3;

const WEIGHTS = Object.fromEntries(
  Object.entries(OPERATIONS).map(([name, { weight }]) => [name, weight]),
) as Record<OperationName, number>;

/** A clock that is ahead of another by a constant time. */
class FastClock extends ManualClock {
  readonly #clock: ManualClock;

  constructor(clock: ManualClock) {
    super(clock.now());
    this.#clock = clock;
  }

  override now(): Date {
    return new Date(this.#clock.now().getTime() + SKEW_MS);
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms, signal);
  }
}

/**
 * Two nodes on one database, with different clocks, in which everything happens concurrently. The seed and the number
 * of an operation determine what it does.
 */
export class World {
  readonly installation: Installation;
  readonly #second: Installation;
  readonly tenants: Tenant[] = [];
  /** Tenants who have closed their accounts. */
  readonly gone: Tenant[] = [];
  /** Number of orders of an account when it was closed. */
  readonly closedWith = new Map<string, number>();
  readonly operator: Operator;
  readonly people: People;
  readonly hosts = new Hosts();
  /** Operations since the last call of {@link run}, one line each. */
  log: string[] = [];
  /** The operation at whose beginning the process kills itself; undefined for none. */
  killedAt: number | undefined;
  /** Differences between the renewals or SLA credits of the last {@link settle} and the expected ones. */
  unexpected: string[] = [];
  readonly #seed: string;
  readonly #faults: Faults;
  readonly #nodes: TestNode[] = [];
  readonly #priceNotices = new Map<Services, PriceNotices>();

  static async open(db: Database, seed: string): Promise<World> {
    const world = await World.#start(db, seed, new ManualClock());
    await world.#fill();
    return world;
  }

  /** Opens accounts up to the intended number. */
  async #fill(): Promise<void> {
    while (this.tenants.length < TENANTS) {
      const customer = await openCustomer(this.#balanced, 0n, QUOTA);
      const tenant = new Tenant(customer, this.services);
      await tenant.topUp(FIRST_FUNDS, 'first');
      this.tenants.push(tenant);
    }
  }

  /** A tenant has closed the account; a new one opens another. */
  async replace(tenant: Tenant): Promise<void> {
    this.tenants.splice(this.tenants.indexOf(tenant), 1);
    this.gone.push(tenant);
    await this.#noteClosed(tenant.customer.accountId);
    await this.#fill();
  }

  async #noteClosed(accountId: string): Promise<void> {
    const [row] = await this.services.db.query<{ orders: number }>(
      sql`select count(*)::int as orders from orders where account_id = ${accountId}`,
    );
    this.closedWith.set(accountId, row!.orders);
  }

  /** Resumes a world whose process was killed: the customers' notebooks are restored from the books. */
  static async resume(db: Database, seed: string): Promise<World> {
    const [past] = await db.query<{ at: Date }>(sql`
      select max(at) as at from (
        select max(created_at) as at from journal union select max(created_at) from events
        union select max(updated_at) from vms union select max(finished_at) from jobs union select max(issued_at) from invoices
      ) as instants`);
    const world = await World.#start(db, seed, new ManualClock(past!.at));
    await world.hosts.find(world.installation);
    await world.#bury();
    const accounts = await db.query<{ id: string; is_open: boolean }>(
      sql`select id, status <> 'closed' as is_open from accounts order by id`,
    );
    for (const { id, is_open } of accounts) {
      const customer = await (is_open ? keyFor(world.#balanced, id) : new Customer(world.#balanced, id, ''));
      const tenant = await Tenant.remembered(customer, world.services);
      await rememberTakeBacks(db, tenant);
      await rememberMembers(db, tenant);
      if (is_open) world.tenants.push(tenant);
      else world.gone.push(tenant);
      if (!is_open) await world.#noteClosed(id);
    }
    await world.#fill();
    return world;
  }

  /**
   * Frees the jobs of the killed nodes: they are the only jobs that have owners at this point. On PostgreSQL a missing
   * node is declared dead after a while, which passes only here.
   */
  async #bury(): Promise<void> {
    const { db, clock } = this.services;
    const { adoption } = this.#nodes[0]!;
    const owned = () => db.query(sql`select 1 from jobs where owner is not null limit 1`);
    while ((await owned()).length > 0) {
      await adoption.run();
      clock.advance(ABSENCE_MS);
    }
  }

  static async #start(db: Database, seed: string, clock: ManualClock): Promise<World> {
    const faults = new Faults(seed);
    // Guests take some time, so that there are jobs to cancel.
    const simulator = { hosts: HOSTS, bootSeconds: 1, shutdownSeconds: 2, faults: () => faults.engine() };
    const options: InstallationOptions = { clock, simulator, env: PROVIDERS };
    const first = await openInstallation(db, options);
    const second = await openInstallation(db, { ...options, clock: new FastClock(clock) });
    first.services.catalog.price_notice_days = PRICE_NOTICE_DAYS;
    first.services.catalog.custom.price_hourly = { ...CUSTOM_HOUR };
    first.services.catalog.add_ons = structuredClone(ADD_ONS);
    sellIn(currencyOf(seed), first.services.catalog);
    first.services.catalog.sla = SLA;
    limitTraffic(first.services.catalog);
    // Both nodes read the same catalog.
    second.services.catalog = first.services.catalog;
    const world = new World(seed, [first, second], faults);
    for (const installation of [first, second]) {
      world.#nodes.push(await installation.openNode(() => faults.step()));
      installation.outlet.deliver = () => world.#deliver();
    }
    return world;
  }

  private constructor(seed: string, [first, second]: [Installation, Installation], faults: Faults) {
    this.#seed = seed;
    this.installation = first;
    this.#second = second;
    this.#faults = faults;
    this.operator = new Operator([first, second]);
    this.people = new People([first, second]);
  }

  /** The two nodes behind a load balancer; only the first one while the world comes to rest. */
  get #balanced(): Installation {
    const { installation } = this;
    const inject = (...call: Parameters<Installation['http']['inject']>) =>
      (this.#faults.enabled ? this.someNode() : installation).http.inject(...call);
    return { ...installation, http: { inject } as Installation['http'] };
  }

  someNode(): Installation {
    return this.#faults.prng.chance(0.5) ? this.installation : this.#second;
  }

  get services(): Installation['services'] {
    return this.installation.services;
  }

  /** Returns some tenant, preferably one that is `fit`; rarely one who is about to leave. */
  tenant(prng: Prng, fit: (tenant: Tenant) => boolean = () => true): Tenant {
    const all = prng.chance(0.1) ? this.tenants : this.tenants.filter(({ isLeaving }) => !isLeaving);
    return prng.pick(all.filter(fit)) ?? prng.pick(all) ?? prng.pick(this.tenants)!;
  }

  /** The same among all past and present tenants: payments arrive for closed accounts too. */
  anyone(prng: Prng, fit: (tenant: Tenant) => boolean): Tenant {
    const all = [...this.tenants, ...this.gone];
    return prng.pick(all.filter(fit)) ?? prng.pick(all)!;
  }

  /** Runs the operations numbered `from` (included) to `to` (excluded), several at once. */
  async run(from: number, to: number): Promise<void> {
    this.log = [];
    let next = from;
    const failures: unknown[] = [];
    const lane = async () => {
      while (next < to && failures.length === 0) {
        await this.#operate(next++).catch((error) => failures.push(error));
      }
    };
    await Promise.all(Array.from({ length: LANES }, lane));
    if (failures.length > 0) throw new AggregateError(failures);
  }

  /** Brings everything to rest without faults: jobs end, and due VMs are renewed or suspended. */
  async settle(): Promise<void> {
    this.#faults.enabled = false;
    await this.hosts.find(this.installation);
    await this.#runJobs();
    const { prng } = this.#faults;
    this.unexpected = await outageProblems(this.services.db, (id) => creditWholly(this, prng, id));
    // Expired credit pays for no renewal.
    await endPromoCredits(this.services, new Failures(this.services));
    this.unexpected.push(...(await renewalProblems(this.services, this.tenants)));
    await this.#runJobs();
    for (let round = 0; round < CATCH_UP_ROUNDS; round++) {
      await renewVms(this.services);
      await this.#runJobs();
    }
    await collectAll(this.services);
    await purgeExpired(this.services);
    await this.#runJobs();
    await throttleAll(this.services);
    await this.#tidy();
    this.#faults.enabled = true;
  }

  /**
   * Brings VMs and their guests together, as the service does every few seconds. A guest that obeys a shutdown does so
   * even if the job that asked for it was interrupted and has failed by then.
   */
  async reconcile(): Promise<void> {
    this.#faults.enabled = false;
    await this.services.guests.run();
    // The reconciler trusts a finding only after it has persisted for a while.
    this.services.clock.advance(BELIEVED_AFTER_MS);
    // Only some VMs are started at once: the reconciler continues as others finish booting.
    for (;;) {
      await this.services.guests.run();
      if ((await unfinishedJobs(this.services.db)).length === 0) break;
      await this.#runJobs();
    }
    this.#faults.enabled = true;
  }

  /**
   * Maintenance that would run automatically during the months that pass here in a moment: the planner gets its
   * statistics.
   */
  async #tidy(): Promise<void> {
    const { db } = this.services;
    if (db.engine === 'pglite') await vacuum(db);
    else await db.script('analyze');
  }

  /** Notifies owners of prices, like a node that has read the present catalog. */
  tellPrices({ services }: Installation): Promise<void> {
    let notices = this.#priceNotices.get(services);
    if (!notices) {
      notices = new PriceNotices(services, new Failures(services));
      this.#priceNotices.set(services, notices);
    }
    return notices.run();
  }

  /** The service reads its catalog at its start, so this is called after an edit. */
  rereadCatalog(): void {
    this.#priceNotices.clear();
  }

  /** A node stops with everything it has in progress, and another takes its place. */
  async restartNode(): Promise<void> {
    const fresh = await this.someNode().openNode(() => this.#faults.step());
    const node = this.#nodes.pop()!;
    this.#nodes.unshift(fresh);
    await node.stop();
  }

  async close(): Promise<void> {
    await this.operator.close();
    await this.people.close();
    await this.#second.close();
    await this.installation.close();
  }

  async #operate(number: number): Promise<void> {
    const prng = new Prng(`${this.#seed}/${number}`);
    const name = prng.weighted(WEIGHTS);
    if (number === this.killedAt) process.kill(process.pid, 'SIGKILL');
    const { mayBeOutOfReach, changes } = this.hosts;
    try {
      const outcome = await OPERATIONS[name].run(this, prng, `key-${number}`);
      const isExplained = mayBeOutOfReach || this.hosts.changes > changes;
      if (isOutOfReach(outcome) && !isExplained)
        throw new Error(`${outcome}, though every host was in reach`);
      this.log.push(`${number} ${name} ${outcome}`);
    } catch (error) {
      throw new Error(`operation ${number}, ${name}`, { cause: error });
    }
  }

  #runJobs(): Promise<void> {
    return runJobs(this.installation, this.#nodes[0]!);
  }

  /** If the delivery fails, adoption picks up the job later. */
  #deliver(): void {
    const { runner } = this.#faults.prng.pick(this.#nodes)!;
    runner.fill().catch(() => {});
  }
}
