import type { Customer } from '../jobs/support/customer.ts';
import type { Prng } from '../simulation/prng.ts';
import type { Account, Document, Order, Vm } from './account.ts';
import type { Differences, Expected } from './differences.ts';
import { withoutUnits } from './document-tax.ts';
import * as documents from './document-views.ts';
import * as shop from './shop-views.ts';
import { customAt, isSold, type PriceList, type Product, planAt, type Size } from './tariff.ts';
import * as views from './views.ts';

/** A customer, and the oracle's account of them. */
export interface Tenant {
  name: string;
  customer: Customer;
  account: Account;
}

/** A customer and the time of a check. */
export interface Look {
  tenant: Tenant;
  now: number;
  prices: PriceList;
  /** Complete lists, every VM and every document; otherwise the latest entries and a random part. */
  everything: boolean;
}

/** The sizes of the shipped catalog's plans to which changes are quoted. */
const SIZES: Size[] = [
  { vcpu: 1, ram_mb: 1024, disk_gb: 20 },
  { vcpu: 3, ram_mb: 5120, disk_gb: 70 },
  { vcpu: 16, ram_mb: 65536, disk_gb: 1000 },
];
const LATEST = 40;

/** Reads everything that the API shows of an account's money and compares it with the oracle's books. */
export class Observer {
  readonly differences: Differences;
  readonly #prng: Prng;

  constructor(differences: Differences, prng: Prng) {
    this.differences = differences;
    this.#prng = prng;
  }

  async look(look: Look, vm?: Vm): Promise<void> {
    const { tenant, now, prices, everything } = look;
    const { account } = tenant;
    // First, because it reveals the ids of orders that the service placed.
    await this.#orders(look);
    await this.#get(look, 'wallet', '/v1/billing/wallet', views.wallet(account, now, prices));
    await this.#get(look, 'summary', '/v1/billing/summary', views.summary(account, now, prices));
    const get = () => this.#get(look, 'usage', '/v1/client/usage', views.usage(account, now, prices));
    // A part of the rest each time; at the end all of it.
    const rest = [get, () => this.#payments(look), () => this.#documents(look), () => this.#monthQuote(look)];
    for (const part of rest) if (everything || this.#prng.chance(0.4)) await part();
    const living = account.vms.filter(({ gone }) => !gone);
    const another = this.#prng.chance(0.5) ? this.#prng.pick(living) : undefined;
    const some = [vm, another].filter((one) => one && !one.gone) as Vm[];
    for (const one of everything ? living : new Set(some)) await this.vm(look, one);
  }

  async vm(look: Look, vm: Vm): Promise<void> {
    const { tenant, now, prices } = look;
    const path = `/v1/vm/${vm.id}`;
    const shown = await tenant.customer.must({ method: 'GET', path });
    this.compare(look, 'vm', shown, views.vm(vm, prices));
    await this.#get(look, 'vm_billing', `${path}/billing`, views.vmBilling(tenant.account, vm, now, prices));
    await this.#get(
      look,
      'delete_preview',
      `${path}/delete-preview`,
      views.deletePreview(tenant.account, vm, now, prices),
    );
    if (this.#prng.chance(0.4)) await this.#options(look, vm);
    const { code } = this.#prng.pick(prices.plans)!;
    const custom = customAt(this.#prng.pick(SIZES)!, prices, now);
    const to = this.#prng.chance(0.5) ? planProduct(vm, code, prices, now) : custom;
    await this.changeQuote(look, vm, to);
  }

  async changeQuote(look: Look, vm: Vm, to: Product): Promise<void> {
    const { tenant, now, prices } = look;
    const { plan, vcpu, ram_mb, disk_gb } = to;
    const query: Record<string, string | number> = plan === null ? { vcpu, ram_mb, disk_gb } : { plan };
    const path = `/v1/vm/${vm.id}/plan-quote?${asQuery(query)}`;
    await this.#get(look, 'plan_quote', path, shop.changeQuote(tenant.account, vm, to, now, prices));
  }

  async #options(look: Look, vm: Vm): Promise<void> {
    const { now, prices } = look;
    const sold = prices.plans.filter((plan) => isSold(plan, now) && plan.regions.includes(vm.region));
    const expected = sold.map((listed) => ({
      plan: shop.plan(listed, prices, now),
      current: listed.code === vm.product.plan,
      net_minor: shop.change(vm, planProduct(vm, listed.code, prices, now), now, prices).total,
    }));
    await this.#get(look, 'plan_options', `/v1/vm/${vm.id}/plan-options?all=true`, expected);
  }

  async #monthQuote(look: Look): Promise<void> {
    const { tenant, now, prices } = look;
    const size = { vcpu: this.#prng.between(1, 16), ram_mb: 1024 * this.#prng.between(1, 64), disk_gb: 50 };
    const billing = this.#prng.pick(['monthly', 'hourly'] as const)!;
    const path = `/v1/vm/custom-quote?${asQuery({ ...size, billing })}`;
    const expected = shop.monthQuote(tenant.account, size, billing, now, prices);
    await this.#get(look, 'custom_quote', path, expected);
  }

  async catalog(look: Look): Promise<void> {
    const { prices, now } = look;
    const plans = prices.plans.map((listed) => shop.plan(listed, prices, now));
    await this.#get(look, 'catalog', '/v1/vm/catalog', { currency: prices.currency, plans });
    await this.#get(look, 'public_plans', '/v1/public/plans', { plans });
    await this.#get(look, 'prices', '/v1/vm/prices', shop.parts(prices, now));
  }

  async #payments(look: Look): Promise<void> {
    const shown = await this.#list(look, '/v1/billing/payments');
    const all = views.payments(look.tenant.account, look.prices) as { reference: string }[];
    const known = new Map(all.map((payment) => [payment.reference, payment]));
    if (look.everything || all.length <= LATEST)
      this.compare(look, 'payments', shown.length, BigInt(all.length));
    for (const payment of shown)
      this.compare(look, 'payments', payment, known.get(payment.reference) ?? null);
  }

  /** Orders placed by the service are matched by content the first time, and by id from then on. */
  async #orders(look: Look): Promise<void> {
    const { account } = look.tenant;
    const shown = await this.#list(look, '/v1/billing/orders');
    const known = new Map(account.orders.map((order) => [order.id, order]));
    for (const item of shown.toReversed()) {
      const order = known.get(item.id) ?? nameless(account.orders, item);
      if (order) order.id ??= item.id;
      if (order?.document) order.document.id ??= item.invoice_id;
      this.compare(look, 'orders', item, order ? views.order(order, look.prices) : null);
    }
    for (const order of account.orders.filter(({ id }) => id === null))
      this.compare(look, 'orders', null, views.order(order, look.prices));
    if (look.everything) this.compare(look, 'orders', shown.length, BigInt(account.orders.length));
  }

  async #documents(look: Look): Promise<void> {
    const { account } = look.tenant;
    const shown = await this.#list(look, '/v1/billing/invoices');
    const known = new Map(account.documents.map((document) => [document.id, document]));
    for (const item of shown) {
      const document = known.get(item.id);
      if (document?.issuedAt) document.number ??= item.number;
    }
    for (const item of shown) {
      const document = known.get(item.id);
      this.compare(look, 'invoices', item, document ? documents.document(document, look.prices) : null);
    }
    if (look.everything) this.compare(look, 'invoices', shown.length, BigInt(account.documents.length));
    const drafts = account.documents.filter(({ issuedAt }) => issuedAt === null);
    const one = this.#prng.pick(account.documents);
    for (const document of look.everything ? account.documents : new Set([...drafts, ...(one ? [one] : [])]))
      await this.#document(look, document);
  }

  async #document(look: Look, document: Document): Promise<void> {
    const shown = await look.tenant.customer.must({
      method: 'GET',
      path: `/v1/billing/invoices/${document.id}`,
    });
    shown.lines.sort((a: unknown, b: unknown) => (documents.lineKey(a) < documents.lineKey(b) ? -1 : 1));
    this.compare(look, 'invoice', withoutUnits(shown), documents.documentWithLines(document, look.prices));
  }

  /** Returns the latest entries of a list, or all of it. */
  // biome-ignore lint/suspicious/noExplicitAny: lists of every kind
  async #list({ tenant, everything }: Look, path: string): Promise<any[]> {
    // biome-ignore lint/suspicious/noExplicitAny: see above
    const all: any[] = [];
    const limit = everything ? 100 : LATEST;
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page = await tenant.customer.call({ method: 'GET', path: `${path}?limit=${limit}${cursor}` });
      const { data, pagination } = JSON.parse(page.text);
      all.push(...data);
      cursor = everything && pagination.has_more ? `&cursor=${pagination.next_cursor}` : null;
    }
    return all;
  }

  async #get(look: Look, what: string, path: string, expected: Expected): Promise<void> {
    this.compare(look, what, await look.tenant.customer.must({ method: 'GET', path }), expected);
  }

  compare(
    { tenant, now }: Pick<Look, 'tenant' | 'now'>,
    what: string,
    actual: unknown,
    expected: Expected,
  ): void {
    this.differences.compare(what, `${tenant.name} at ${new Date(now).toISOString()}`, actual, expected);
  }
}

/** Returns the product of a VM after a change to a plan. */
export function planProduct({ product }: Vm, code: string, prices: PriceList, now: number): Product {
  const plan = planAt(prices, code, now);
  return { ...plan, disk_gb: Math.max(plan.disk_gb, product.disk_gb) };
}

const asQuery = (query: Record<string, string | number>) =>
  new URLSearchParams(Object.entries(query).map(([name, value]) => [name, `${value}`]));

/** Returns an order whose id no reply has contained yet and that matches the item shown. */
// biome-ignore lint/suspicious/noExplicitAny: an order of the API
function nameless(orders: Order[], item: any): Order | undefined {
  const alike = orders.filter(
    ({ id, kind, vm, amount, createdAt }) =>
      id === null &&
      kind === item.kind &&
      (vm?.id ?? null) === item.vm_id &&
      Number(amount) === item.amount_minor &&
      new Date(createdAt).toISOString() === item.created_at,
  );
  return alike.find(({ balanceAfter }) => Number(balanceAfter) === item.balance_after_minor) ?? alike[0];
}
