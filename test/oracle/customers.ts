import type { Reply } from '../jobs/support/customer.ts';
import type { Order, Vm } from './account.ts';
import { change, kept, onSale, refundOf } from './add-ons.ts';
import {
  completed,
  debtOf,
  fail,
  grant,
  lackingFor,
  netWithin,
  pay,
  place,
  settle,
  settleDeletion,
  spendableOf,
} from './books.ts';
import { dayOf, monthFrom } from './calendar.ts';
import { changeCharge, deletionCharge, monthCharge } from './charges.ts';
import type { Charge } from './lines.ts';
import { planProduct, type Tenant } from './observer.ts';
import type { Play } from './play.ts';
import { renewed } from './prices.ts';
import { Rational } from './rational.ts';
import { customAt, isSold, type Product } from './tariff.ts';
import { setRenewal } from './time.ts';
import { termsOf } from './usage.ts';
import * as views from './views.ts';

const DAY = 86_400_000;

/** The customers' actions and their weights. */
const ACTIONS = {
  topUp: 10,
  grant: 5,
  buy: 4,
  changePlan: 6,
  changeCustom: 4,
  addOn: 10,
  setRenewal: 4,
  takeSnapshot: 2,
  deleteSnapshot: 1,
  remove: 2,
} as const;

/** The customers, each with an account at the service and one in the oracle's books. */
export class Customers {
  readonly #play: Play;

  constructor(play: Play) {
    this.#play = play;
  }

  /** Performs an action and returns the VM that it concerned, if any. */
  async act(tenant: Tenant): Promise<Vm | undefined> {
    const { prng } = this.#play;
    const living = tenant.account.vms.filter(({ gone, deleting }) => !gone && !deleting);
    const vm = prng.pick(living);
    const action = prng.weighted(ACTIONS);
    if (action === 'topUp') await this.#topUp(tenant);
    else if (action === 'grant') await this.#grant(tenant);
    else if (action === 'buy' || !vm) await this.#buy(tenant);
    else if (action === 'setRenewal') await this.#setRenewal(tenant, vm);
    else if (action === 'addOn') await this.#addOn(tenant, vm);
    else if (action === 'remove') await this.#remove(tenant, vm);
    else if (action === 'takeSnapshot') await this.#takeSnapshot(tenant, vm);
    else if (action === 'deleteSnapshot') await this.#deleteSnapshot(tenant, vm);
    else await this.#change(tenant, vm, action === 'changePlan');
    return vm;
  }

  async #topUp({ customer, account }: Tenant): Promise<void> {
    const { prng, prices, now, world } = this.#play;
    // Mostly enough for several VMs, sometimes for only part of one.
    const most = 10 ** prng.between(3, 4) * (prices.currency === 'KWD' ? 10 : 1);
    const amount = BigInt(prng.between(1, 2 * most));
    const reference = `payment-${customer.accountId}-${account.payments.length}`;
    if (prng.chance(0.5)) await customer.topUp(amount, reference);
    else account.topUps.push({ id: (await world.operator.paid(customer, amount, reference)).id, amount });
    pay(account, { method: 'test', reference, amount }, now);
    this.#play.count('topUp');
  }

  async #grant({ customer, account }: Tenant): Promise<void> {
    const { prng, prices, now } = this.#play;
    const amount = BigInt(prng.between(1, prices.currency === 'KWD' ? 20_000 : 2_000));
    const until = now + prng.between(1, 60 * DAY);
    await customer.grantPromo(amount, new Date(until));
    grant(account, amount, until);
    this.#play.count('grant');
  }

  async #buy(tenant: Tenant): Promise<void> {
    const { prng, now, observer } = this.#play;
    const prices = this.#play.pricesFor(tenant);
    const { customer, account } = tenant;
    const { code, regions } = prng.pick(prices.plans.filter((plan) => isSold(plan, now)))!;
    const product = planProduct(NO_VM, code, prices, now);
    const region = prng.pick(regions)!;
    const trouble = prng.pick(['', '', '', '-sim-fail-create', '-sim-fail-resize-once'])!;
    const auto_renew = prng.chance(0.85);
    const renewal_priority = prng.between(1, 4);
    const start = prng.chance(0.7);
    const billing = product.hour && prng.chance(0.5) ? 'hourly' : 'monthly';
    const wish = { hostname: `web${trouble}`, template: 'debian-12', password: 'correct-horse-battery' };
    const body = { ...wish, plan: code, region, auto_renew, renewal_priority, start, billing };
    const paid = monthFrom(now, dayOf(now));
    const charge = monthCharge(product, paid, prices, billing);
    const reply = await customer.call({ method: 'POST', path: '/v1/vm', body });
    if (!this.#paid(tenant, `create_${billing}`, reply, charge)) return;
    const vm: Vm = {
      ...{ id: reply.data.vm.id, product, region, exists: false, gone: false, goneAt: null, deleting: false },
      ...{ work: null, autoRenew: auto_renew, priority: renewal_priority, nextMode: billing },
      ...{
        day: dayOf(now),
        paid,
        hoursSince: charge.hoursSince,
        deposit: charge.deposit,
        taxed: prices.taxed,
      },
      ...{
        leftover: Rational.zero,
        refundable: null,
        unpaidSince: null,
        suspendedAt: null,
        graceEnded: null,
      },
      ...{ resumes: false, running: start, upgradedAt: null, deletionNoticeAt: null },
      ...{ soldAt: now, told: null, retiresAt: null, throttle: null },
      meter: { days: new Map(), terms: [termsOf(product, prices, now, 0n)], snapshots: [] },
      addOns: [],
    };
    account.vms.push(vm);
    const order = this.#placed(tenant, 'create', vm, charge, reply);
    vm.work = { kind: 'create', order };
    observer.compare(this.#play.look(tenant), 'create.vm', reply.data.vm, views.sold(vm, prices));
  }

  async #change(tenant: Tenant, vm: Vm, toPlan: boolean): Promise<void> {
    const { prng, now, observer } = this.#play;
    const prices = this.#play.pricesFor(tenant);
    const size = {
      vcpu: prng.between(1, 8),
      ram_mb: 1024 * prng.between(1, 32),
      disk_gb: vm.product.disk_gb + 10 * prng.between(0, 2),
    };
    const plan = prng.pick(prices.plans)!.code;
    // The disk keeps its size.
    const { disk_gb } = vm.product;
    const to = toPlan ? { ...planProduct(vm, plan, prices, now), disk_gb } : customAt(size, prices, now);
    await observer.changeQuote(this.#play.look(tenant), vm, to);
    const path = `/v1/vm/${vm.id}/${toPlan ? 'change-plan' : 'change-custom'}`;
    const body = { ...(toPlan ? { plan, resize_disk: false } : size), allow_reboot: true };
    const charge = changeCharge(vm, to, now, prices);
    const reply = await tenant.customer.call({ method: 'POST', path, body });
    const kind = toPlan ? 'change_plan' : 'change_custom';
    if (!this.#paid(tenant, kind, reply, charge)) return;
    if (now >= vm.paid.to) observer.differences.found.push(`${vm.id} was changed after the end of its month`);
    if (vm.hoursSince !== null) this.#play.count('change by the hour');
    const order = this.#placed(tenant, kind, vm, charge, reply);
    const { leftover, hoursSince: since, deposit } = charge;
    vm.work = { kind: 'change', order, to, taxed: prices.taxed, leftover, since, deposit, orderedAt: now };
  }

  /** Buys an add-on, changes its quantity or gives it up. */
  async #addOn(tenant: Tenant, vm: Vm): Promise<void> {
    const { prng, now, observer, world } = this.#play;
    const prices = this.#play.pricesFor(tenant);
    const { account, customer } = tenant;
    const code = prng.pick(['address', 'backup'] as const);
    const held = vm.addOns.find((one) => one.code === code);
    const quantity = prng.between(0, 4);
    const to = onSale(prices, code, BigInt(quantity), now);
    const isMore = quantity > (held?.quantity ?? 0);
    const reply = await world.setAddOn(customer, vm.id, code, quantity);
    if (!to && isMore && reply.status === 200)
      observer.differences.found.push(`${vm.id} has more of ${code}, which is not sold`);
    const sold = to ?? (held && { ...kept(held, prices), quantity: BigInt(quantity) });
    const isOf = quantity === 0 ? null : (sold ?? null);
    if (!held && !isOf) return;
    const { charge, after } = isOf
      ? change(vm, isOf, now, prices)
      : { charge: refundOf(vm, held!, now, prices), after: null };
    if (!this.#paid(tenant, 'add_on', reply, charge)) return;
    const order = settle(account, { kind: 'add_on', vm, charge, id: reply.data.order.id }, now);
    order.document!.id ??= reply.data.order.invoice_id;
    vm.addOns = [...vm.addOns.filter((one) => one !== held), ...(after ? [after] : [])];
    if (after && after.refundable !== null)
      after.refundable = netWithin(completed(account), vm, vm.paid, code);
    observer.compare(this.#play.look(tenant), 'add_on.order', reply.data.order, views.order(order, prices));
    observer.compare(this.#play.look(tenant), 'add_on.quote', reply.data.quote_minor, charge.total);
    if (charge.total < 0n) this.#play.count('add_on refunded');
  }

  async #setRenewal(tenant: Tenant, vm: Vm): Promise<void> {
    const { prng, now } = this.#play;
    const { customer } = tenant;
    const billing = prng.pick(['monthly', 'hourly'] as const)!;
    const wish = { auto_renew: prng.chance(0.6), renewal_priority: prng.between(1, 4) };
    const body = prng.chance(0.5) ? { ...wish, billing } : wish;
    const { status, error } = await customer.call({ method: 'PATCH', path: `/v1/vm/${vm.id}`, body });
    this.#play.count(`setRenewal ${error?.code ?? 'ok'}`);
    if (status === 422 && renewed(vm, this.#play.pricesFor(tenant), now).hour)
      this.#play.observer.differences.found.push(`${vm.id} could not be billed by the hour`);
    if (status !== 200) return;
    setRenewal(vm, body.auto_renew, now);
    vm.priority = body.renewal_priority;
    if ('billing' in body) vm.nextMode = body.billing;
  }

  async #takeSnapshot({ customer }: Tenant, vm: Vm): Promise<void> {
    const { now } = this.#play;
    const path = `/v1/vm/${vm.id}/snapshots`;
    const { status, data, error } = await customer.call({ method: 'POST', path });
    this.#play.count(`takeSnapshot ${error?.code ?? 'ok'}`);
    if (status !== 200) return;
    this.#play.jobs.set(vm, data.job.id);
    vm.work = { kind: 'take_snapshot', id: data.snapshot.id, orderedAt: now };
  }

  async #deleteSnapshot({ customer }: Tenant, vm: Vm): Promise<void> {
    const snapshot = this.#play.prng.pick(vm.meter.snapshots.filter(({ until }) => until === null));
    if (!snapshot) return;
    const path = `/v1/vm/${vm.id}/snapshots/${snapshot.id}`;
    const { status, data, error } = await customer.call({ method: 'DELETE', path });
    this.#play.count(`deleteSnapshot ${error?.code ?? 'ok'}`);
    if (status !== 200) return;
    this.#play.jobs.set(vm, data.job.id);
    vm.work = { kind: 'delete_snapshot', snapshot };
  }

  async #remove(tenant: Tenant, vm: Vm): Promise<void> {
    const { now, observer } = this.#play;
    const prices = this.#play.pricesFor(tenant);
    const { account, customer } = tenant;
    const reply = await customer.call({ method: 'DELETE', path: `/v1/vm/${vm.id}` });
    this.#play.count(`remove ${reply.error?.code ?? 'ok'}`);
    if (reply.status !== 200) return;
    if (vm.work && 'order' in vm.work) fail(account, vm.work.order, now);
    const charge = deletionCharge(vm, now, prices);
    const { refund_minor: amount_minor, ...taken } = views.deletion(account, charge);
    const promo = views.promoBack(account, vm, charge);
    const refund = { amount_minor, ...promo, ...taken, currency: prices.currency };
    observer.compare(this.#play.look(tenant), 'delete', reply.data.refund, refund);
    const order = settleDeletion(account, vm, charge, reply.data.refund.order_id, now);
    if (order && order.owed > 0n) this.#play.count('deleted with a debt');
    if (order && vm.hoursSince !== null) this.#play.count('remove by the hour');
    vm.deleting = true;
    vm.work = { kind: 'delete' };
  }

  /**
   * Returns whether a call that costs money succeeded. If it was refused for lack of money, checks that this is right.
   */
  #paid(tenant: Tenant, kind: string, { status, error }: Reply, { total }: Charge): boolean {
    const { account } = tenant;
    const lacking = lackingFor(account, total);
    const debt = debtOf(account);
    const look = this.#play.look(tenant);
    this.#play.count(`${kind} ${error?.code ?? 'ok'}`);
    const covered = lacking === 0n;
    if (status === 200 || status === 402)
      this.#play.observer.compare(look, kind, { status }, { status: covered ? 200n : 402n });
    if (status === 402) {
      const amounts = {
        required_minor: total,
        available_minor: spendableOf(account),
        shortfall_minor: lacking,
        ...(debt > 0n && { debt_minor: debt }),
      };
      this.#play.observer.compare(look, `${kind}.error`, error!.details, amounts);
    }
    return status === 200;
  }

  #placed(tenant: Tenant, kind: string, vm: Vm, charge: Charge, { data }: Reply): Order {
    const { now, observer, jobs } = this.#play;
    const prices = this.#play.pricesFor(tenant);
    const order = place(tenant.account, { kind, vm, charge, id: data.order.id }, now);
    jobs.set(vm, data.job.id);
    observer.compare(this.#play.look(tenant), `${kind}.order`, data.order, views.order(order, prices));
    return order;
  }
}

/** Stands for the VM of a purchase, which has no disk yet that the plan could replace. */
const NO_VM = { product: { disk_gb: 0 } as Product } as Vm;
