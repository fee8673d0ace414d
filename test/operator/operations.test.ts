import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { findPersonByEmail } from '../../server/db/queries/people.ts';
import { DEMO_EMAIL } from '../../server/domain/accounts/demo-account.ts';
import { guestSpec, settle } from '../compute/support.ts';
import type { Described } from '../openapi/description.ts';
import { openPanel, type Panel, signInByLink } from '../panel/support/panel.ts';
import { call, DESCRIPTION } from './support.ts';

const ABSENT = 'vm_00000000000000000000000000';
const SETTINGS = {
  VAUBAN_SIMULATOR_HOSTS: 'a, b',
  VAUBAN_PAYMENT_PROVIDERS: 'test, bank_transfer',
  VAUBAN_BANK_RECIPIENT: 'Example Hosting',
  VAUBAN_BANK_IBAN: 'DE89370400440532013000',
};

/** The `data` of what was answered before, by operation. */
// biome-ignore lint/suspicious/noExplicitAny: a test knows what was answered
type Answers = Record<string, any>;

/** An installation with one of everything that an operator may look at. */
interface World {
  /** Ids by the segment of a path before them. */
  ids: Record<string, string>;
  /** Of an account that has nothing. */
  spareAccount: string;
  spareOrder: string;
  snapshot: string;
  ip: string;
  answers: Answers;
}

/** What differs from the example of the description, in the order of the description. */
interface Particulars {
  ids?: Record<string, string>;
  body?: object;
  query?: string;
}

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
  createSignInLink: ({ ids }) => ({ body: { account_id: ids.accounts } }),
  grantPromoCredit: () => ({ body: { amount: '5.00' } }),
  revokePromoCredit: ({ answers }) => ({ ids: { 'promo-credits': answers.grantPromoCredit.id } }),
  reportOutage: ({ ids }) => ({
    body: { vm_id: ids.vms, from: '2025-12-31T10:00:00.000Z', to: '2025-12-31T12:00:00.000Z' },
  }),
  creditOutage: ({ answers }) => ({ ids: { outages: answers.reportOutage.id } }),
  getInvoice: ({ answers }) => ({ ids: { invoices: answers.listInvoices[0].id } }),
  getInvoiceDocument: ({ answers }) => ({
    ids: { invoices: answers.listInvoices[0].id },
    query: 'format=pdf',
  }),
  exportBookings: () => ({ query: 'month=2025-12&format=csv' }),
  restoreVm: ({ snapshot }) => ({ body: { snapshot_id: snapshot } }),
  rebuildVm: () => ({ body: { delete_snapshots: true } }),
  getTenant: ({ answers }) => ({ ids: { tenants: answers.createTenant.id } }),
  listTargets: ({ answers }) => ({ ids: { tenants: answers.createTenant.id } }),
  addTarget: ({ answers, ip }) => ({ ids: { tenants: answers.createTenant.id }, body: { ip } }),
  reportAttack: ({ ip }) => ({ body: { ip } }),
  endReportedAttack: ({ ip }) => ({ body: { ip } }),
  emptyHost: () => ({ body: { to: '2026-01-31T14:00:00.000Z' } }),
  retryMail: ({ answers }) => ({
    ids: { mails: answers.listMails.find(({ status }: { status: string }) => status === 'sent').id },
  }),
};

/** Valid calls that are refused here, with the code: the engine is no cluster, there is no image, every mail was sent. */
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
/** Goes last: the others are about it. */
const LAST = ['removeTarget'];

const collectionOf = ({ path }: Described) => /\/([\w-]+)\/\{\w+\}/.exec(path)?.[1];

async function openWorld(panel: Panel): Promise<World> {
  const { services, operatorSocket, clock } = panel;
  const customer = await signInByLink(panel, (await findPersonByEmail(services.db, DEMO_EMAIL))!.id);
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
  // Its deletion fails again and again, for a job that is not over.
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
    snapshot: snapshot.id,
    ip: vm.ipv4,
    answers: {},
  };
}

/** Lets time pass until the VM has no job. */
async function untilIdle({ services: { db }, clock }: Panel, vmId: string): Promise<void> {
  const busy = sql`select 1 from vms where id = ${vmId} and active_job_id is not null`;
  while ((await db.query(busy)).length > 0) clock.advance(1_000);
}

test('every operation knows nothing of what is absent, and answers a valid call', async (t) => {
  const panel = await openPanel(t, SETTINGS);
  panel.services.catalog.sla = { credits: [{ uptime_below: '99.9', percent: 10 }] };
  const world = await openWorld(panel);
  const order = DESCRIPTION.operations.toSorted((a, b) => LAST.indexOf(a.id) - LAST.indexOf(b.id));
  for (const operation of order) {
    const { ids, body, query } = PARTICULARS[operation.id]?.(world) ?? {};
    const collection = collectionOf(operation);
    // Each reply is held against the description.
    const ask = (id = '') => {
      const path = operation.path.replace(/\{\w+\}/, id) + (query ? `?${query}` : '');
      const sent = operation.method === 'GET' ? undefined : { ...(operation.body as object), ...body };
      return call(panel.operatorSocket, operation.method, path, sent);
    };
    if (collection && collection !== 'clusters')
      assert.equal((await ask(ABSENT)).status, 404, `${operation.id} of what is absent`);
    const id = { ...world.ids, ...ids }[collection ?? ''];
    assert.ok(id || !collection, `the world has nothing for ${operation.path}`);
    // It waits for guests to shut down.
    const reply = await (operation.id === 'drainHost' ? settle(panel.clock, ask(id)) : ask(id));
    const { code } = reply.status === 200 ? { code: undefined } : reply.json().error;
    assert.equal(code, REFUSED[operation.id], `${operation.id}: ${reply.text}`);
    if (String(reply.headers['content-type']).startsWith('application/json'))
      world.answers[operation.id] = reply.json().data;
    if (operation.id === 'addTarget') world.ids.targets = world.answers.addTarget.id;
    await untilIdle(panel, world.ids.vms!);
  }
});
