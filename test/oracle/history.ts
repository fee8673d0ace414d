import type { TestContext } from 'node:test';
import type { Customer } from '../jobs/support/customer.ts';
import { Prng } from '../simulation/prng.ts';
import { billed, type Document, newAccount, type Vm, type Work } from './account.ts';
import { endCredits, payDebts } from './books.ts';
import { monthOf } from './calendar.ts';
import { Customers } from './customers.ts';
import { Differences } from './differences.ts';
import { Observer, type Tenant } from './observer.ts';
import { Operators } from './operators.ts';
import { Play } from './play.ts';
import { tell } from './prices.ts';
import { throttle } from './throttles.ts';
import { issue, nextInstant, passRenewals } from './time.ts';
import { end } from './vm-actions.ts';
import { World } from './world.ts';

const SECOND = 1000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const TENANTS = 5;
const ACTIONS_A_MONTH = 7;

/** Two years in the life of an installation, which the oracle follows in its own books. */
export class History {
  readonly differences = new Differences();
  readonly #play: Play;
  readonly #customers: Customers;
  readonly #operators: Operators;
  readonly #lastIssued: Record<Document['type'], number> = { invoice: 0, credit_note: 0 };
  #months = 0;
  /** No job runs before this instant. */
  #idleUntil = 0;

  static async open(t: TestContext, at: { seed: string; currency: string; start: string }): Promise<History> {
    const history = new History(await World.open(t, at.start, at.currency), at.seed);
    const { world, tenants } = history.#play;
    for (let n = 1; n <= TENANTS; n++)
      tenants.push({ name: `customer ${n}`, customer: await world.customer(), account: newAccount() });
    return history;
  }

  private constructor(world: World, seed: string) {
    const prng = new Prng(seed);
    this.#play = new Play(world, prng, new Observer(this.differences, prng));
    this.#customers = new Customers(this.#play);
    this.#operators = new Operators(this.#play);
  }

  get now(): number {
    return this.#play.now;
  }

  /** Counts of what happened; lines of orders by unit. */
  told(): string {
    const orders = this.#play.tenants.flatMap(({ account }) => account.orders);
    for (const { unit } of orders.flatMap(({ lines }) => lines)) this.#play.count(`line of ${unit}`);
    return this.#play.told();
  }

  /** About a month, with one disturbance. */
  async month(): Promise<void> {
    await this.#disturb(this.#months++);
    for (let n = 0; n < ACTIONS_A_MONTH; n++) {
      await this.#pass(this.#play.prng.between(1, (2 * 30 * DAY) / ACTIONS_A_MONTH));
      await this.#act(this.#play.prng.pick(this.#play.tenants)!);
    }
    await this.#play.observer.catalog(this.#play.look(this.#play.tenants[0]!));
  }

  async compareAll(): Promise<void> {
    this.#idleUntil = 0;
    await this.#pass(SECOND);
    for (const tenant of this.#play.tenants)
      await this.#play.observer.look({ ...this.#play.look(tenant), everything: true });
    this.#compareNumbers();
  }

  async #disturb(month: number): Promise<void> {
    const { world, prng } = this.#play;
    this.#operators.editCatalog(month);
    if (month % 4 === 2) world.advance(3 * DAY);
    if (month % 4 === 1) {
      // Puts the clock back over the end of the month whose documents have just been issued.
      await this.#pass(monthOf(this.now).to + 20 * 60 * SECOND - this.now);
      world.putBack(prng.between(30, 120) * 60 * SECOND);
    }
    if (month % 3 === 2) this.#idleUntil = this.now + prng.between(1, 10) * HOUR;
  }

  /** Time passes. Whenever something is due, the service runs, slightly late. */
  async #pass(ms: number): Promise<void> {
    const until = this.now + ms;
    for (;;) {
      const vms = this.#play.tenants.flatMap(({ account }) => billed(account));
      const issues = monthOf(this.now).to + 10 * 60 * SECOND;
      const next = Math.min(issues, ...vms.map(nextInstant).filter((at) => at > this.now));
      if (next >= until) break;
      this.#play.world.advance(next + this.#play.prng.between(0, 30 * SECOND) - this.now);
      await this.#tick(next === issues);
    }
    if (until > this.now) this.#play.world.advance(until - this.now);
    await this.#tick(true);
  }

  /** The service sweeps less often than it looks at VMs, and issues documents only in a sweep. */
  async #tick(sweeps: boolean): Promise<void> {
    for (const tenant of this.#play.tenants) {
      const { account } = tenant;
      const prices = this.#play.pricesFor(tenant);
      endCredits(account, this.now);
      payDebts(account, this.now);
      passRenewals(account, this.now, prices);
      for (const vm of billed(account)) {
        const before = vm.told;
        tell(vm, prices, this.now);
        if (vm.told && vm.told !== before) this.#play.count('told of a price');
      }
      throttle(account, this.now, prices);
      for (const { throttle } of billed(account))
        if (throttle) this.#play.count(`slowed by ${throttle.cause}`);
    }
    const accounts = this.#play.tenants.map(({ account }) => account);
    if (sweeps) issue(accounts, this.now, this.#lastIssued);
    await this.#play.world.tick(sweeps);
    await this.#work();
  }

  /** Jobs run to completion. The results of customers' jobs are read through the API. */
  async #work(): Promise<void> {
    if (this.now < this.#idleUntil) return;
    await this.#play.world.work();
    for (const tenant of this.#play.tenants) {
      const { account, customer } = tenant;
      for (const vm of account.vms) {
        const { work } = vm;
        if (!work) continue;
        const succeeded = await this.#hasSucceeded(customer, vm, work);
        if (work.kind === 'take_snapshot' && succeeded) await this.#store(customer, vm, work);
        end(account, vm, work, succeeded, this.now, this.#play.pricesFor(tenant));
        this.#play.count(`${work.kind} ${succeeded ? 'done' : 'failed'}`);
      }
    }
  }

  /** Reads the result of a job that the owner started. */
  async #hasSucceeded(customer: Customer, vm: Vm, work: Work): Promise<boolean> {
    if (work.kind === 'suspend' || work.kind === 'start' || work.kind === 'delete') return true;
    const path = `/v1/vm/${vm.id}/jobs?status=all`;
    const jobs: { id: string; status: string }[] = await customer.must({ method: 'GET', path });
    return jobs.find(({ id }) => id === this.#play.jobs.get(vm))?.status === 'succeeded';
  }

  /** A snapshot was taken; its size is read from the API. It is stored from its request on. */
  async #store(
    customer: Customer,
    vm: Vm,
    { id, orderedAt: from }: Extract<Work, { kind: 'take_snapshot' }>,
  ) {
    const path = `/v1/vm/${vm.id}/snapshots`;
    const all: { id: string; size_bytes: number }[] = await customer.must({ method: 'GET', path });
    const bytes = BigInt(all.find((snapshot) => snapshot.id === id)!.size_bytes);
    vm.meter.snapshots.push({ id, bytes, from, until: null });
  }

  async #act(tenant: Tenant): Promise<void> {
    const play = this.#play;
    const vm = await this.#customers.act(tenant);
    await play.observer.look(play.look(tenant), vm);
    await this.#work();
    await this.#operators.act(tenant);
    await play.observer.look(play.look(tenant), vm);
  }

  /** The numbers of each type have no gaps, and their dates never decrease. */
  #compareNumbers(): void {
    const issued = this.#play.tenants
      .flatMap(({ account }) => account.documents)
      .filter(({ issuedAt }) => issuedAt !== null);
    const look = { tenant: this.#play.tenants[0]!, now: this.now };
    for (const [type, prefix] of [
      ['invoice', 'INV-'],
      ['credit_note', 'CN-'],
    ] as const) {
      const series = issued
        .filter((document) => document.type === type)
        .sort((a, b) => (a.number! < b.number! ? -1 : 1));
      const numbers = series.map((_, index) => `${prefix}${`${index + 1}`.padStart(6, '0')}`);
      this.#play.observer.compare(
        look,
        'numbers',
        series.map(({ number }) => number),
        numbers,
      );
      const dates = series.map(({ issuedAt }) => issuedAt!);
      const late = dates.filter((at, index) => at < (dates[index - 1] ?? 0));
      this.#play.observer.compare(look, 'numbers.late', late.length, 0n);
    }
  }
}
