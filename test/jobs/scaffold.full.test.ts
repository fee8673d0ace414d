// Runs on both engines: a step that fails and is repeated meets different locks and sessions.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { JOB_KINDS, type JobKind } from '../../server/domain/vms/states.ts';
import { JOBS } from '../../server/jobs/definitions/index.ts';
import { assertInvariants } from '../support/invariants.ts';
import { CASES, type Case } from './support/cases.ts';
import { Fixture, type Scenario, type State, stateOf } from './support/fixture.ts';
import { type Disturbance, disturbances } from './support/troubles.ts';

/** The result of a job without faults. */
interface Reference {
  before: State;
  after: State;
}

/** After a job that succeeded despite faults, the state must equal that after an undisturbed one. */
function requireSame(after: State, reference: Reference): void {
  assert.deepEqual(after, reference.after);
}

/** After a failed job, money and VM are as before, and the failure is readable. */
function requireCleanSlate(kind: JobKind, { undone }: Case, before: State, after: State): void {
  assert.deepEqual(after.wallet, before.wallet);
  const { vm, guest, orders, snapshots, addresses, events } = after;
  assert.ok(vm && orders && snapshots && events);
  assert.equal(vm.locked, false);
  const newOrders = orders.filter(({ status }) => status === 'failed');
  assert.deepEqual(
    orders.filter(({ status }) => status !== 'failed'),
    before.orders,
  );
  assert.deepEqual(
    newOrders.map((order) => order.kind),
    ORDERED.has(kind) ? [kind] : [],
  );
  assert.equal(events.filter((type) => type === 'job.failed').length, 1);
  if (!before.vm) {
    assert.deepEqual(
      { status: vm.status, provisioned_at: vm.provisioned_at },
      { status: 'error', provisioned_at: null },
    );
    assert.deepEqual({ guest, addresses }, { guest: undefined, addresses: 0 });
    return;
  }
  const { status, wanted_power, updated_at, ...rest } = vm;
  const { status: statusBefore, wanted_power: wantedBefore, updated_at: _, ...restBefore } = before.vm;
  assert.deepEqual(rest, restBefore);
  // If the VM runs, the wanted power state is "on".
  assert.equal(wanted_power, status === 'running' ? 'on' : wantedBefore);
  assert.equal(addresses, before.addresses);
  const errors = snapshots.filter((snapshot) => snapshot === 'error').length;
  assert.equal(errors, kind === 'snapshot_create' || kind === 'snapshot_delete' ? 1 : 0);
  assert.equal(status, guest?.power === 'off' ? 'stopped' : 'running');
  if (!undone) return;
  // A disk cannot shrink, so it keeps the size that it has grown to.
  const diskGb = Math.max(guest?.diskGb ?? 0, before.guest?.diskGb ?? 0);
  assert.deepEqual(guest, { ...before.guest, diskGb });
  assert.equal(status, statusBefore);
}

/** Kinds of job that have an order of the same name. */
const ORDERED = new Set<JobKind>(['create', 'change_plan', 'change_custom']);

async function playDisturbed(
  fixture: Fixture,
  kind: JobKind,
  one: Case,
  scenario: Scenario,
  disturbance: Disturbance,
  reference: Reference,
) {
  const before = await stateOf(fixture, scenario);
  assert.deepEqual(before, reference.before);
  const job = await fixture.play(scenario, one.call(scenario), disturbance.make());
  assert.deepEqual({ owner: job.owner, input: job.input }, { owner: null, input: {} });
  if (disturbance.end !== 'either') assert.equal(job.status, disturbance.end);
  const after = await stateOf(fixture, scenario);
  if (job.status === 'succeeded') return requireSame(after, reference);
  assert.ok(job.error_code);
  requireCleanSlate(kind, one, before, after);
  // If the VM is in its original state, the customer may simply retry.
  if (before.vm && after.vm?.status !== before.vm.status) return;
  const again = await fixture.play(scenario, one.call(scenario));
  assert.equal(again.status, 'succeeded');
  assert.deepEqual((await stateOf(fixture, scenario)).vm, reference.after.vm);
}

async function playCase(t: TestContext, fixture: Fixture, kind: JobKind, one: Case): Promise<void> {
  const all = disturbances(JOBS[kind]);
  const [model, ...scenes] = await fixture.scenes(all.length + 1, one.before, one.snapshot ?? false);
  const before = await stateOf(fixture, model!);
  const job = await fixture.play(model!, one.call(model!));
  assert.equal(job.status, 'succeeded');
  const reference = { before, after: await stateOf(fixture, model!) };
  for (const [index, disturbance] of all.entries()) {
    await t.test(`${one.name}: ${disturbance.name}`, () =>
      playDisturbed(fixture, kind, one, scenes[index]!, disturbance, reference),
    );
  }
  await assertInvariants(fixture.db);
}

test('every kind of job is on the scaffold', () => {
  assert.deepEqual(Object.keys(CASES).sort(), [...JOB_KINDS].sort());
  assert.deepEqual(Object.keys(JOBS).sort(), [...JOB_KINDS].sort());
});

/**
 * New VMs are placed on the first host, whose capacity is unlimited and so never partly used; moved VMs go to the
 * other.
 */
const TWO_HOSTS = { hosts: [{ name: 'simulator' }, { name: 'other', capacity: { ramMb: 10_000_000 } }] };

for (const kind of JOB_KINDS) {
  test(`${kind} fails at every step and leaves a clean slate, and every step can be repeated`, async (t) => {
    const fixture = await Fixture.open(t, undefined, kind === 'move' ? TWO_HOSTS : {});
    for (const one of CASES[kind]) await playCase(t, fixture, kind, one);
  });
}
