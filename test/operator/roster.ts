import assert from 'node:assert/strict';
import { sql } from '../../server/db/database.ts';
import { listUnbookedPayments } from '../../server/db/queries/money/unbooked-payments.ts';
import { noteUnbooked } from '../../server/payments/unbooked-payments.ts';
import { newId } from '../../server/platform/ids.ts';
import { DAY_MS, guestSpec, HOUR_MS, settle } from '../compute/support.ts';
import type { Described } from '../openapi/description.ts';
import type { Panel, TestBrowser } from '../panel/support/panel.ts';
import { call, DESCRIPTION } from './support.ts';

const ABSENT = 'vm_00000000000000000000000000';
export const ROSTER_SETTINGS = {
  VAUBAN_SIMULATOR_HOSTS: 'a, b',
  VAUBAN_PAYMENT_PROVIDERS: 'test, bank_transfer',
  VAUBAN_BANK_RECIPIENT: 'Example Hosting',
  VAUBAN_BANK_IBAN: 'DE89370400440532013000',
};

/** The `data` of earlier replies, by operation. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows what was answered
type Answers = Record<string, any>;

/** An installation with one of everything that an operator may look at. */
export interface World {
  /** Ids by the path segment before them. */
  ids: Record<string, string>;
  spareAccount: string;
  spareOrder: string;
  /** VMs created for this run. */
  vms: string[];
  snapshot: string;
  ip: string;
  /** Payments that are missing from the books. */
  unbooked: string[];
  /** The address of a person who gets a sign-in link. */
  email: string;
  /** When the installation was opened. */
  openedAt: Date;
  answers: Answers;
}

/** Differences from the description's example, in the order of the description. */
interface Particulars {
  ids?: Record<string, string>;
  body?: object;
  query?: string;
}

const at = (from: Date, hours: number) => new Date(from.getTime() + hours * HOUR_MS).toISOString();
const monthBefore = (day: Date) =>
  new Date(Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), 1) - DAY_MS).toISOString().slice(0, 7);

const PARTICULARS: Record<string, (world: World) => Particulars> = {
  suspendAccount: ({ spareAccount }) => ({ ids: { accounts: spareAccount } }),
  resumeAccount: ({ spareAccount }) => ({ ids: { accounts: spareAccount } }),
  closeAccount: ({ spareAccount }) => ({ ids: { accounts: spareAccount } }),
  refundTopUp: ({ answers }) => ({
    ids: {
      'top-ups': answers.listTopUps.find(({ provider }: { provider: string }) => provider === 'test').id,
    },
  }),
  makeAdjustment: () => ({ body: { amount: '1.00' } }),
  refundOrder: () => ({ body: { amount: '1.00' } }),
  voidOrder: ({ spareOrder }) => ({ ids: { orders: spareOrder } }),
  createSignInLink: ({ ids, email }) => ({ body: { email, account_id: ids.accounts } }),
  grantPromoCredit: ({ openedAt }) => ({ body: { amount: '5.00', until: at(openedAt, 60 * 24) } }),
  revokePromoCredit: ({ answers }) => ({ ids: { 'promo-credits': answers.grantPromoCredit.id } }),
  reportOutage: ({ ids, openedAt }) => ({
    body: { vm_id: ids.vms, from: at(openedAt, -14), to: at(openedAt, -12) },
  }),
  creditOutage: ({ answers }) => ({ ids: { outages: answers.reportOutage.id } }),
  getInvoice: ({ answers }) => ({ ids: { invoices: answers.listInvoices[0].id } }),
  getInvoiceDocument: ({ answers }) => ({
    ids: { invoices: answers.listInvoices[0].id },
    query: 'format=pdf',
  }),
  exportBookings: ({ openedAt }) => ({ query: `month=${monthBefore(openedAt)}&format=csv` }),
  exportSales: ({ openedAt }) => ({ query: `month=${monthBefore(openedAt)}` }),
  listDocuments: ({ openedAt }) => ({ query: `month=${monthBefore(openedAt)}` }),
  downloadDocuments: ({ openedAt }) => ({ query: `month=${monthBefore(openedAt)}` }),
  bookUnbookedPayment: ({ unbooked, ids }) => ({
    ids: { 'unbooked-payments': unbooked[0]! },
    body: { account_id: ids.accounts },
  }),
  dismissUnbookedPayment: ({ unbooked }) => ({ ids: { 'unbooked-payments': unbooked[1]! } }),
  setSeries: ({ answers }) => ({
    body: Object.fromEntries(
      answers.getSeries.map((series: { type: string; at_least: number }) => [series.type, series.at_least]),
    ),
  }),
  restoreVm: ({ snapshot }) => ({ body: { snapshot_id: snapshot } }),
  rebuildVm: () => ({ body: { delete_snapshots: true } }),
  getTenant: ({ answers }) => ({ ids: { tenants: answers.createTenant.id } }),
  listTargets: ({ answers }) => ({ ids: { tenants: answers.createTenant.id } }),
  addTarget: ({ answers, ip }) => ({ ids: { tenants: answers.createTenant.id }, body: { ip } }),
  reportAttack: ({ ip }) => ({ body: { ip } }),
  endReportedAttack: ({ ip }) => ({ body: { ip } }),
  emptyHost: ({ openedAt }) => ({ body: { from: at(openedAt, 30 * 24), to: at(openedAt, 30 * 24 + 4) } }),
  retryMail: ({ answers }) => ({
    ids: { mails: answers.listMails.find(({ status }: { status: string }) => status === 'sent').id },
  }),
};

/**
 * Valid calls that are refused here, with the code: the engine is not a cluster, there is no image, every mail was
 * sent.
 */
const REFUSED: Record<string, string> = {
  getInvoiceDocument: 'document_unavailable',
  checkCluster: 'invalid_state',
  addCluster: 'invalid_state',
  listClusters: 'invalid_state',
  changeCluster: 'invalid_state',
  removeCluster: 'invalid_state',
  importImage: 'validation_failed',
  removeImage: 'not_found',
  retryMail: 'invalid_state',
};
/** Runs last, because the others need the target. */
const LAST = ['removeTarget'];

const collectionOf = ({ path }: Described) => /\/([\w-]+)\/\{\w+\}/.exec(path)?.[1];

async function openWorld(panel: Panel, customer: TestBrowser, email: string): Promise<World> {
  const { services, operatorSocket, clock } = panel;
  const idle = async (vmId: string) => {
    while ((await customer.ok('GET', `/v1/vm/${vmId}`)).active_job) clock.advance(1_000);
  };
  const buy = async (hostname: string) => {
    const body = { plan: 's1', template: 'debian-12', hostname };
    const { vm, order } = await customer.ok('POST', '/v1/vm', { body, idempotencyKey: hostname });
    await idle(vm.id);
    return { vm: await customer.ok('GET', `/v1/vm/${vm.id}`), order };
  };
  const { vm, order } = await buy('web-1');
  const { snapshot } = await customer.ok('POST', `/v1/vm/${vm.id}/snapshots`, { body: {} });
  await idle(vm.id);
  const spare = await buy('web-2');
  // Its deletion fails repeatedly, which provides a job that is not over.
  const stuck = await buy('sim-fail-remove');
  const { job } = await customer.ok('DELETE', `/v1/vm/${stuck.vm.id}`, { idempotencyKey: 'stuck' });
  const topUp = async (provider: string, amount_minor: number) => {
    const body = { amount_minor, provider };
    return (await customer.ok('POST', '/top-ups', { body, idempotencyKey: provider })).top_up.id;
  };
  await topUp('test', 25_00);
  const { id: account } = await customer.ok('GET', '/session').then((session) => session.account);
  const { key } = await customer.ok('POST', '/keys', { body: { label: 'ci', scopes: ['vm:read'] } });
  const orphan = guestSpec('web', { hostId: 'a' });
  await services.compute.create(orphan);
  const made = await call(operatorSocket, 'POST', '/accounts', { name: 'Spare' });
  return {
    ids: {
      accounts: account,
      keys: key.id,
      'top-ups': await topUp('bank_transfer', 49_90),
      orders: order.id,
      vms: vm.id,
      jobs: job.id,
      orphans: orphan.id,
      hosts: 'b',
      images: 'debian-12',
      clusters: 'eu-west',
    },
    spareAccount: made.json().data.id,
    spareOrder: spare.order.id,
    vms: [vm.id, spare.vm.id, stuck.vm.id],
    snapshot: snapshot.id,
    ip: vm.ipv4,
    unbooked: await lostPayments(services, account),
    email,
    openedAt: clock.now(),
    answers: {},
  };
}

/** Creates two payments that are missing from the books. */
async function lostPayments(services: Panel['services'], account_id: string): Promise<string[]> {
  const { db, clock } = services;
  for (let n = 0; n < 2; n++)
    await noteUnbooked(services, {
      ...{
        provider: 'stripe',
        provider_ref: newId('ubp', clock),
        top_up_id: newId('top', clock),
        account_id,
      },
      ...{ amount_minor: 5_00n, currency: 'EUR', paid_at: clock.now() },
    });
  const found = await listUnbookedPayments(db, 'open', { limit: 2, afterId: null });
  return found.map(({ id }) => id);
}

/** Advances time until the VM has no job. */
async function untilIdle({ services: { db }, clock }: Panel, vmId: string): Promise<void> {
  const busy = sql`select 1 from vms where id = ${vmId} and active_job_id is not null`;
  while ((await db.query(busy)).length > 0) clock.advance(1_000);
}

export interface RosterOptions {
  /** The address of a person who gets a sign-in link. */
  email?: string;
  /** True if each operation is also called for an absent object before its proper call. */
  probes?: boolean;
}

/**
 * Calls every operation of the operator once, for objects that `customer` buys for it and others. Returns the objects
 * that it used.
 */
export async function callEveryOperation(
  panel: Panel,
  customer: TestBrowser,
  { email = 'anna@example.com', probes = true }: RosterOptions = {},
): Promise<World> {
  panel.services.catalog.sla = { credits: [{ uptime_below: '99.9', percent: 10 }] };
  const world = await openWorld(panel, customer, email);
  const order = DESCRIPTION.operations.toSorted((a, b) => LAST.indexOf(a.id) - LAST.indexOf(b.id));
  for (const operation of order) {
    const { ids, body, query } = PARTICULARS[operation.id]?.(world) ?? {};
    const collection = collectionOf(operation);
    // Checks each reply against the description.
    const ask = (id = '') => {
      const path = operation.path.replace(/\{\w+\}/, id) + (query ? `?${query}` : '');
      const sent = operation.method === 'GET' ? undefined : { ...(operation.body as object), ...body };
      return call(panel.operatorSocket, operation.method, path, sent);
    };
    if (probes && collection && collection !== 'clusters')
      assert.equal((await ask(ABSENT)).status, 404, `${operation.id} of what is absent`);
    const id = { ...world.ids, ...ids }[collection ?? ''];
    assert.ok(id || !collection, `the world has nothing for ${operation.path}`);
    // This operation waits for guests to shut down.
    const reply = await (operation.id === 'drainHost' ? settle(panel.clock, ask(id)) : ask(id));
    const { code } = reply.status === 200 ? { code: undefined } : reply.json().error;
    assert.equal(code, REFUSED[operation.id], `${operation.id}: ${reply.text}`);
    if (String(reply.headers['content-type']).startsWith('application/json'))
      world.answers[operation.id] = reply.json().data;
    if (operation.id === 'addTarget') world.ids.targets = world.answers.addTarget.id;
    await untilIdle(panel, world.ids.vms!);
  }
  return world;
}
