import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SimulatorGuests } from '../../server/db/queries/hosts/simulator-guests.ts';
import { assertInvariants } from '../support/invariants.ts';
import { type Customer, openCustomer } from './support/customer.ts';
import { Fixture } from './support/fixture.ts';
import { buyVm, tenant, vmOf } from './support/landlord.ts';

const changePlan = (customer: Customer, id: string, plan: string) =>
  customer.call({ method: 'POST', path: `/v1/vm/${id}/change-plan`, body: { plan, allow_reboot: true } });

test('after a resize that failed, a plan with a smaller disk than that one can be taken', async (t) => {
  const fixture = await Fixture.open(t);
  const customer = await tenant(fixture, 500_00n);
  const id = await buyVm(fixture, customer);
  fixture.trouble = {
    step({ step, phase }) {
      if (step === 'power_on_guest' && phase === 'before') throw new Error('fails with the disk grown');
      return undefined;
    },
  };
  assert.equal((await changePlan(customer, id, 's8')).status, 200);
  await fixture.finish();
  fixture.trouble = {};
  assert.equal((await changePlan(customer, id, 's4')).status, 200);
  await fixture.finish();
  const { plan, status, disk_gb } = await vmOf(fixture, id);
  assert.deepEqual({ plan, status, disk_gb }, { plan: 's4', status: 'running', disk_gb: 80 });
  assert.equal((await fixture.installation.services.compute.inspect(id))!.diskGb, 160);
  await assertInvariants(fixture.db);
});

test('VMs that grow at the same time share one quota', async (t) => {
  const fixture = await Fixture.open(t);
  // Two VMs of 2 vCPUs each: one of them may grow to 4, neither beyond that.
  const customer = await openCustomer(fixture.installation, 500_00n, { vcpu: 6 });
  const [first, second] = [await buyVm(fixture, customer), await buyVm(fixture, customer)];
  assert.equal((await changePlan(customer, first, 's4')).status, 200);
  assert.equal((await changePlan(customer, second, 's4')).error?.code, 'quota_exceeded');
  await fixture.finish();
  // A shrinking VM counts in full until it has shrunk.
  assert.equal((await customer.call(shrink(first))).status, 200);
  assert.equal((await changePlan(customer, second, 's4')).error?.code, 'quota_exceeded');
  await fixture.finish();
  assert.equal((await changePlan(customer, second, 's4')).status, 200);
  await fixture.finish();
  await assertInvariants(fixture.db);
});

const shrink = (id: string) => ({
  method: 'POST' as const,
  path: `/v1/vm/${id}/change-custom`,
  body: { vcpu: 1, allow_reboot: true },
});

test('the speed of a VM is that of its plan, from its creation on and after a change', async (t) => {
  const fixture = await Fixture.open(t);
  const { services } = fixture.installation;
  for (const [code, speed] of [
    ['s2', 100],
    ['s4', 200],
  ] as const) {
    services.catalog.plans.find((plan) => plan.code === code)!.network_mbps = speed;
  }
  const customer = await tenant(fixture, 500_00n);
  const id = await buyVm(fixture, customer);
  const speed = async () => {
    await services.network.idle();
    await services.network.reconcile();
    return (await new SimulatorGuests(fixture.db).readGuest(id))?.network?.bandwidthBps;
  };
  assert.equal(await speed(), 100_000_000);
  for (const [plan, expected] of [
    ['s4', 200_000_000],
    ['s8', undefined],
  ] as const) {
    assert.equal((await changePlan(customer, id, plan)).status, 200);
    await fixture.finish();
    assert.equal(await speed(), expected);
  }
});
