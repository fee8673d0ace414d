import assert from 'node:assert/strict';
import type { Client } from '../support/client.ts';
import type { Created, Job, Order, Vm, Wallet } from '../support/shapes.ts';
import { newPublicKey } from '../support/valid-calls.ts';
import { idle, type Subject, untilGone } from '../support/world.ts';

/**
 * A customer's first day: looks at the catalog, buys a VM, opens it to the world, takes a snapshot, upgrades it, looks
 * at the bill and deletes it. Every amount is computed here again, from the documentation.
 */

interface Change {
  vm: Vm;
  job: Job;
  order: Order;
}

const seconds = (from: string, to: string) => Math.floor((Date.parse(to) - Date.parse(from)) / 1000);

/** Returns the rest of a period at `at` and the length of the period, in whole seconds. */
function rest({ billing_period_start_at: start, billing_period_end_at: end }: Vm, at: string) {
  return { remaining: seconds(at, end), length: seconds(start, end) };
}

/** Returns the refund for a price that was paid for the whole period, minus the uncharged part, rounded down. */
function credit(vm: Vm, price: number, uncharged: number, at: string): number {
  const { remaining, length } = rest(vm, at);
  return Math.floor((price * remaining - uncharged) / length);
}

async function wallet(client: Client): Promise<Wallet> {
  return client.ok<Wallet>('getWallet');
}

async function choose(client: Client) {
  const catalog = await client.ok<{ plans: Plan[] }>('getCatalog');
  const { plans } = await client.ok<{ plans: Plan[] }>('listPublicPlans');
  await client.ok('getPrices');
  const [small, large] = ['s1', 's2'].map((code) => catalog.plans.find((plan) => plan.code === code)!);
  assert.equal(plans.find(({ code }) => code === 's1')?.price_monthly_minor, small!.price_monthly_minor);
  const quote = await client.ok<{ total_minor: number; sufficient: boolean }>('getCustomQuote', {
    query: { vcpu: 2, ram_mb: 4096, disk_gb: 40 },
  });
  assert.ok(quote.total_minor > 0 && quote.sufficient);
  return { small: small!, large: large! };
}

interface Plan {
  code: string;
  price_monthly_minor: number;
}

async function buy(client: Client, plan: Plan): Promise<Vm> {
  const before = await wallet(client);
  const { id: keyId } = await client.ok<{ id: string }>('addSshKey', {
    body: { name: 'laptop', public_key: newPublicKey() },
  });
  const created = await client.ok<Created>('createVm', {
    body: { plan: plan.code, template: 'debian-12', hostname: 'web-1', ssh_key_ids: [keyId] },
  });
  assert.equal(created.initial_password, null, 'a key was given');
  assert.equal(created.order.amount_minor, plan.price_monthly_minor);
  const vm = await idle(client, created.vm.id);
  assert.equal(vm.status, 'running');
  assert.equal(vm.last_job?.status, 'succeeded');
  const after = await wallet(client);
  assert.deepEqual(
    [after.available_minor, after.held_minor],
    [before.available_minor - plan.price_monthly_minor, 0],
  );
  await client.ok('deleteSshKey', { at: [keyId] });
  return vm;
}

async function look(client: Client, vm: Vm): Promise<void> {
  const at = [vm.id];
  const found = await client.ok<Vm[]>('listVms', { query: { hostname: 'web-1', status: 'running' } });
  assert.deepEqual(
    found.map(({ id }) => id),
    [vm.id],
  );
  const [nic] = await client.ok<{ ips: { address: string }[] }[]>('listNics', { at });
  assert.ok(nic!.ips.some(({ address }) => address === vm.ipv4));
  assert.equal((await client.ok<unknown[]>('listVolumes', { at })).length, 1);
  const jobs = await client.ok<Job[]>('listJobs', { at, query: { status: 'all' } });
  assert.deepEqual(
    jobs.map(({ kind, status }) => [kind, status]),
    [['create', 'succeeded']],
  );
  const events = await client.ok<{ type: string }[]>('listEvents', { at });
  assert.ok(events.some(({ type }) => type === 'vm.created'));
  for (const read of ['getVmMetrics', 'getVmBandwidth', 'listPlanOptions']) await client.ok(read, { at });
  await client.ok('getOpsKey');
  await client.ok<Vm>('updateVm', { at, body: { hostname: 'www-1', notes: 'Front of the shop' } });
}

async function openUp(client: Client, vm: Vm): Promise<void> {
  const at = [vm.id];
  const rule = await client.ok<{ id: string }>('addFirewallRule', {
    at,
    body: { direction: 'in', action: 'accept', protocol: 'tcp', ports: '443', cidrs: ['0.0.0.0/0', '::/0'] },
  });
  const forward = await client.ok<{ id: string; internal_ip: string }>('addPortForward', {
    at,
    body: { protocol: 'tcp', internal_port: 8080 },
  });
  assert.equal(forward.internal_ip, vm.ipv4);
  const rules = await client.ok<{ id: string }[]>('listFirewallRules', { at });
  assert.deepEqual(
    rules.map(({ id }) => id),
    [rule.id],
  );
  const forwards = await client.ok<{ id: string }[]>('listPortForwards', { at });
  assert.deepEqual(
    forwards.map(({ id }) => id),
    [forward.id],
  );
  await client.ok('deleteFirewallRule', { at: [vm.id, rule.id] });
}

async function save(client: Client, vm: Vm): Promise<void> {
  const { snapshot } = await client.ok<{ snapshot: { id: string } }>('createSnapshot', {
    at: [vm.id],
    body: { name: 'before-the-change' },
  });
  await idle(client, vm.id);
  const [saved] = await client.ok<{ id: string; status: string }[]>('listSnapshots', { at: [vm.id] });
  assert.deepEqual([saved?.id, saved?.status], [snapshot.id, 'available']);
}

/** Changes to a larger plan. Returns the amount that rounding leaves uncharged, in minor units times seconds. */
async function grow(client: Client, vm: Vm, large: Plan): Promise<number> {
  const at = [vm.id];
  const quote = await client.ok<{ net_minor: number; requires_reboot: boolean }>('getPlanQuote', {
    at,
    query: { plan: large.code },
  });
  assert.ok(quote.requires_reboot);
  const { order } = await client.ok<Change>('changePlan', {
    at,
    body: { plan: large.code, allow_reboot: true, max_charge_minor: quote.net_minor },
  });
  const { remaining, length } = rest(vm, order.created_at);
  const exact = (large.price_monthly_minor - vm.price_monthly_minor) * remaining;
  const net = Math.round(exact / length);
  assert.equal(order.amount_minor, net);
  const grown = await idle(client, vm.id);
  assert.deepEqual([grown.plan, grown.status], [large.code, 'running']);
  assert.equal(grown.billing_period_end_at, vm.billing_period_end_at, 'the end of the period does not move');
  return exact - net * length;
}

/** Checks that orders, invoice and wallet agree: the balance is the payments minus the charges. */
async function checkBooks(client: Client, paidIn: number): Promise<void> {
  const orders = await client.ok<Order[]>('listOrders');
  const charged = orders.reduce((sum, { amount_minor }) => sum + amount_minor, 0);
  assert.ok(orders.every(({ status }) => status === 'completed'));
  const { balance_minor, held_minor } = await wallet(client);
  assert.deepEqual([balance_minor, held_minor], [paidIn - charged, 0]);
  assert.equal(orders[0]!.balance_after_minor, balance_minor);
  const payments = await client.ok<{ amount_minor: number }[]>('listPayments');
  assert.equal(
    payments.reduce((sum, { amount_minor }) => sum + amount_minor, 0),
    paidIn,
  );
  const invoices = await client.ok<{ id: string; total_minor: number }[]>('listInvoices');
  assert.equal(
    invoices.reduce((sum, { total_minor }) => sum + total_minor, 0),
    charged,
  );
  for (const { id, total_minor } of invoices) {
    const { lines } = await client.ok<{ lines: { amount_minor: number }[] }>('getInvoice', { at: [id] });
    assert.equal(
      lines.reduce((sum, { amount_minor }) => sum + amount_minor, 0),
      total_minor,
    );
  }
  // The shipped catalog has no usage prices.
  for (const operation of ['getBillingSummary', 'getUsage'] as const)
    assert.equal((await client.ok<{ usage_minor: number }>(operation)).usage_minor, 0);
}

/** The charge of a deletion, and the part of it that the wallet did not cover. */
interface Settlement {
  charged_minor: number;
  written_off_minor: number;
}

async function giveUp(client: Client, vm: Vm, price: number, uncharged: number): Promise<void> {
  const at = [vm.id];
  const preview = await client.ok<
    Settlement & { refund_minor: number; usage_minor: number; as_of: string; data_lost: { type: string }[] }
  >('getDeletePreview', { at });
  assert.deepEqual([preview.usage_minor, preview.charged_minor, preview.written_off_minor], [0, 0, 0]);
  assert.equal(preview.refund_minor, credit(vm, price, uncharged, preview.as_of));
  assert.deepEqual(
    new Set(preview.data_lost.map(({ type }) => type)),
    new Set(['volume', 'snapshot', 'ip', 'port_forward']),
  );
  const before = await wallet(client);
  const { refund } = await client.ok<{ refund: Settlement & { amount_minor: number; order_id: string } }>(
    'deleteVm',
    { at },
  );
  assert.deepEqual([refund.charged_minor, refund.written_off_minor], [0, 0]);
  const order = (await client.ok<Order[]>('listOrders')).find(({ id }) => id === refund.order_id)!;
  assert.equal(refund.amount_minor, credit(vm, price, uncharged, order.created_at));
  assert.equal(order.amount_minor, -refund.amount_minor);
  assert.equal((await wallet(client)).available_minor, before.available_minor + refund.amount_minor);
  await untilGone(client, vm.id);
}

export async function quickStart({ client }: Subject, paidIn: number): Promise<void> {
  const { small, large } = await choose(client);
  const vm = await buy(client, small);
  await look(client, vm);
  await openUp(client, vm);
  await save(client, vm);
  const uncharged = await grow(client, vm, large);
  const bill = await client.ok<{
    lifetime_charged_minor: number;
    charges: unknown[];
    usage_minor: number;
    usage: { traffic: { price_per_gb: string | null }; snapshots: { price_gb_month: string | null } };
  }>('getVmBilling', { at: [vm.id] });
  const { traffic, snapshots } = bill.usage;
  assert.deepEqual([bill.usage_minor, traffic.price_per_gb, snapshots.price_gb_month], [0, null, null]);
  assert.equal(bill.charges.length, 2);
  await checkBooks(client, paidIn);
  await giveUp(client, vm, large.price_monthly_minor, uncharged);
  await checkBooks(client, paidIn);
}
