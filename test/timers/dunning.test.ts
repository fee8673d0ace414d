import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { watchMoney } from '../../server/jobs/timers/overdue-orders.ts';
import { renewVms } from '../../server/jobs/timers/renew-vms.ts';
import { giveRenewalNotices } from '../../server/jobs/timers/renewal-notices.ts';
import { Failures } from '../../server/platform/failures.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { Fixture } from '../jobs/support/fixture.ts';
import { buyVm, comes, eventsOf, powerOf, renewalsOf, tenant, vmOf } from '../jobs/support/landlord.ts';
import { assertInvariants } from '../support/invariants.ts';

const START = '2026-01-01T00:00:00Z';
const PERIOD_END = '2026-02-01T00:00:00Z';
const GRACE_END = '2026-02-04T00:00:00Z';

async function owner(t: TestContext, funds: bigint, wish: object = {}) {
  const fixture = await Fixture.open(t, START);
  const customer = await tenant(fixture, funds);
  const id = await buyVm(fixture, customer, wish);
  return { fixture, customer, id };
}

/** Sets the clock to `instant` and runs two rounds of everything: the second must not notify anyone again. */
async function passes(fixture: Fixture, instant: string): Promise<void> {
  const { services } = fixture.installation;
  for (let round = 0; round < 2; round++) {
    await comes(fixture, instant);
    await giveRenewalNotices(services, new Failures(services));
  }
}

/** Returns the events of a type, oldest first. */
async function told(customer: Customer, id: string, type: string) {
  const events = await customer.must({ method: 'GET', path: `/v1/vm/${id}/events?type=${type}` });
  return events.toReversed() as { message: string; metadata: Record<string, unknown>; created_at: string }[];
}

const daysOf = async (customer: Customer, id: string) =>
  (await told(customer, id, 'billing.renewal_due')).map(({ metadata }) => metadata.days);

test('an owner gets notice of each step once a period, from a week ahead to the deletion', async (t) => {
  const { fixture, id } = await owner(t, 700n);
  for (const instant of [
    ['2026-01-24T23:59:59Z', '2026-01-25T00:00:00Z', '2026-01-28T12:00:00Z', '2026-01-29T00:00:00Z'],
    ['2026-01-30T12:00:00Z', '2026-01-31T00:00:00Z', '2026-01-31T23:59:59Z', PERIOD_END],
    ['2026-02-02T00:00:00Z', GRACE_END, '2026-02-14T23:59:59Z', '2026-02-15T00:00:00Z'],
    ['2026-02-17T23:59:59Z', '2026-02-18T00:00:00Z'],
  ].flat())
    await passes(fixture, instant);
  const events = await fixture.db.query<{ type: string; created_at: Date; days: number | null }>(sql`
    select type, created_at, (metadata->>'days')::int as days from events
    where vm_id = ${id} and actor_type = 'system' and created_at > ${new Date(START)} order by created_at, id`);
  assert.deepEqual(
    events.map(({ type, created_at, days }) => [type, created_at.toISOString().slice(0, 19), days]),
    [
      ['billing.renewal_due', '2026-01-25T00:00:00', 7],
      ['billing.renewal_due', '2026-01-29T00:00:00', 3],
      ['billing.renewal_due', '2026-01-31T00:00:00', 1],
      ['billing.unpaid', '2026-02-01T00:00:00', null],
      ['vm.suspended', '2026-02-04T00:00:00', null],
      ['billing.deletion_due', '2026-02-15T00:00:00', null],
      ['vm.deleted', '2026-02-18T00:00:00', null],
    ],
  );
});

test('a notice has the missing amount, and the next period has its own', async (t) => {
  const { fixture, customer, id } = await owner(t, 700n);
  await passes(fixture, '2026-01-31T00:00:00Z');
  const [notice] = await told(customer, id, 'billing.renewal_due');
  assert.deepEqual(notice!.metadata, {
    days: 1,
    due_at: '2026-02-01T00:00:00.000Z',
    amount_minor: 699,
    lacking_minor: 698,
    currency: 'EUR',
  });
  assert.match(notice!.message, /in 1 day .* 6\.99 EUR.* 6\.98 EUR short/);
  await customer.topUp(698n);
  await passes(fixture, PERIOD_END);
  assert.deepEqual(await renewalsOf(fixture, id), [699n]);
  await passes(fixture, '2026-02-22T00:00:00Z');
  assert.deepEqual(await daysOf(customer, id), [1, 7]);
});

test('if the wallet covers the renewal, or there is none, there is no notice', async (t) => {
  const { fixture, customer, id } = await owner(t, 3n * 699n + 100n);
  const ending = await buyVm(fixture, customer, { auto_renew: false });
  for (const instant of ['2026-01-25T00:00:00Z', '2026-01-29T00:00:00Z', '2026-01-31T00:00:00Z'])
    await passes(fixture, instant);
  assert.deepEqual([await daysOf(customer, id), await daysOf(customer, ending)], [[], []]);
  // The money is spent on another VM, and the last notice takes that into account.
  const other = await owner(t, 2n * 699n);
  await passes(other.fixture, '2026-01-25T00:00:00Z');
  await buyVm(other.fixture, other.customer);
  await passes(other.fixture, '2026-01-29T00:00:00Z');
  assert.deepEqual(await daysOf(other.customer, other.id), [3]);
});

test('money is counted for the VM that goes first', async (t) => {
  const { fixture, customer, id } = await owner(t, 3n * 699n, { renewal_priority: 2 });
  const preferred = await buyVm(fixture, customer, { renewal_priority: 1 });
  await passes(fixture, '2026-01-29T00:00:00Z');
  assert.deepEqual([await daysOf(customer, preferred), await daysOf(customer, id)], [[], [3]]);
  const [notice] = await told(customer, id, 'billing.renewal_due');
  assert.equal(notice!.metadata.lacking_minor, 699);
});

test('nothing is deleted without three days’ notice, even if the service was down', async (t) => {
  const { fixture, customer, id } = await owner(t, 700n);
  await comes(fixture, PERIOD_END);
  await comes(fixture, GRACE_END);
  await passes(fixture, '2026-03-10T00:00:00Z');
  const [notice] = await told(customer, id, 'billing.deletion_due');
  assert.equal(notice!.metadata.deletes_at, '2026-03-13T00:00:00.000Z');
  const { unpaid } = await customer.must({ method: 'GET', path: '/v1/billing/summary' });
  assert.equal(unpaid[0].deletes_at, '2026-03-13T00:00:00.000Z');
  await comes(fixture, '2026-03-12T23:59:59Z');
  assert.equal((await vmOf(fixture, id)).deleted_at, null);
  await comes(fixture, '2026-03-13T00:00:00Z');
  assert.deepEqual((await vmOf(fixture, id)).deleted_at, new Date('2026-03-13T00:00:00Z'));
  await assertInvariants(fixture.db);
});

const cannot = (which: string) => ({
  engine(_: number, operation: string) {
    if (operation === which) throw new Error('cannot');
  },
});

async function metric({ installation }: Fixture, name: string): Promise<number> {
  await watchMoney(installation.services);
  const text = await installation.services.metrics.text();
  return Number(new RegExp(`^${name} (\\S+)$`, 'm').exec(text)![1]);
}

const jobsOf = async (fixture: Fixture, id: string, kind: string) =>
  (await fixture.db.query(sql`select 1 from jobs where vm_id = ${id} and kind = ${kind}`)).length;

test('a VM that cannot be switched off is retried at growing intervals, and is reported', async (t) => {
  const { fixture, customer, id } = await owner(t, 700n);
  const { services } = fixture.installation;
  await comes(fixture, PERIOD_END);
  assert.equal(await metric(fixture, 'vauban_dunning_failing'), 0);
  fixture.trouble = cannot('powerOff');
  const end = new Date(GRACE_END).getTime();
  // A day of rounds, one every 30 seconds.
  for (let seconds = 0; seconds < 86_400; seconds += 30) {
    services.clock.set(new Date(end + seconds * 1000));
    await renewVms(services);
    if ((await vmOf(fixture, id)).active_job_id) await fixture.finish();
  }
  // After 0, 1, 3, 7, 15, 31 and 63 minutes, and then hourly.
  assert.equal(await jobsOf(fixture, id, 'force_stop'), 7 + 22);
  assert.equal(await metric(fixture, 'vauban_dunning_failing'), 1);
  assert.equal((await told(customer, id, 'billing.suspension_failed')).length, 7 + 22);
  const { unpaid } = await customer.must({ method: 'GET', path: '/v1/billing/summary' });
  const next = (await vmOf(fixture, id)).dunning_next_at!;
  assert.ok(next > services.clock.now());
  assert.deepEqual(unpaid, [
    {
      vm_id: id,
      unpaid_since_at: '2026-02-01T00:00:00.000Z',
      suspends_at: next.toISOString(),
      suspended_at: null,
      deletes_at: new Date(next.getTime() + 14 * 86_400_000).toISOString(),
    },
  ]);
  fixture.trouble = {};
  await comes(fixture, next.toISOString());
  assert.equal((await vmOf(fixture, id)).status, 'suspended');
  assert.equal(await metric(fixture, 'vauban_dunning_failing'), 0);
  await assertInvariants(fixture.db);
});

test('one that is paid in the meantime is left unchanged', async (t) => {
  const { fixture, customer, id } = await owner(t, 700n);
  await comes(fixture, PERIOD_END);
  fixture.trouble = cannot('powerOff');
  await comes(fixture, GRACE_END);
  await customer.topUp(698n);
  await comes(fixture, GRACE_END);
  fixture.trouble = {};
  const { status, dunning_failures, dunning_next_at } = await vmOf(fixture, id);
  assert.deepEqual([status, dunning_failures, dunning_next_at], ['running', 0, null]);
  assert.deepEqual(await renewalsOf(fixture, id), [699n]);
  assert.equal(await powerOf(fixture, id), 'running');
});

test('a VM that cannot be deleted is not deleted again each round', async (t) => {
  const { fixture, customer, id } = await owner(t, 700n);
  for (const instant of [PERIOD_END, GRACE_END, '2026-02-15T00:00:00Z']) await comes(fixture, instant);
  fixture.trouble = cannot('remove');
  for (let round = 0; round < 3; round++) await comes(fixture, '2026-02-18T00:00:00Z');
  assert.equal(await jobsOf(fixture, id, 'delete'), 1);
  assert.equal(await metric(fixture, 'vauban_dunning_failing'), 1);
  const { unpaid } = await customer.must({ method: 'GET', path: '/v1/billing/summary' });
  assert.equal(unpaid[0].deletes_at, '2026-02-18T00:01:00.000Z');
  fixture.trouble = {};
  await comes(fixture, '2026-02-18T00:01:00Z');
  assert.notEqual((await vmOf(fixture, id)).deleted_at, null);
  assert.deepEqual((await eventsOf(fixture, id, '2026-02-18T00:00:00Z')).toSorted(), [
    'job.failed',
    'vm.deleted',
  ]);
  await assertInvariants(fixture.db);
});
