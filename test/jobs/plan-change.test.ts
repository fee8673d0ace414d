import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import type { Customer } from './support/customer.ts';
import { Fixture, PURCHASE } from './support/fixture.ts';
import { tenant } from './support/landlord.ts';

interface Quote {
  net_minor: number;
  total_minor: number;
  requires_reboot: boolean;
  allowed: boolean;
  blockers: { code: string }[];
  irreversible: string[];
}
interface Option {
  plan: { code: string };
  current: boolean;
  allowed: boolean;
  blocker: { code: string } | null;
  net_minor: number;
}

/** A customer with a running VM of plan s2, and the ways to ask for possible changes. */
async function owner(t: Parameters<typeof Fixture.open>[0]) {
  const fixture = await Fixture.open(t);
  const customer: Customer = await tenant(fixture, 500_00n);
  const { vm } = await customer.must({ method: 'POST', path: '/v1/vm', body: PURCHASE });
  await fixture.finish();
  const path = `/v1/vm/${vm.id}`;
  const quote = async (query: string): Promise<Quote> =>
    customer.must({ method: 'GET', path: `${path}/plan-quote?${query}` }) as unknown as Quote;
  const codes = async (query: string) => (await quote(query)).blockers.map(({ code }) => code);
  const order = async (kind: 'change-plan' | 'change-custom', body: object) => {
    const reply = await customer.call({ method: 'POST', path: `${path}/${kind}`, body });
    return reply.error?.code ?? reply.status;
  };
  const option = async (code: string) => {
    const all = (await customer.must({
      method: 'GET',
      path: `${path}/plan-options?all=true`,
    })) as unknown as Option[];
    return all.find(({ plan }) => plan.code === code)!;
  };
  return { fixture, customer, id: vm.id as string, path, quote, codes, order, option };
}

test('a change to the current plan is refused by quote, options and order, and costs nothing', async (t) => {
  const { fixture, customer, quote, codes, order, option } = await owner(t);
  const before = await customer.wallet();
  for (const query of ['plan=s2', 'plan=s2&resize_disk=false', 'vcpu=2', 'vcpu=2&ram_mb=4096&disk_gb=40']) {
    const { allowed, net_minor, total_minor } = await quote(query);
    assert.deepEqual(
      { allowed, net_minor, total_minor },
      { allowed: false, net_minor: 0, total_minor: 0 },
      query,
    );
    assert.deepEqual(await codes(query), ['same_plan'], query);
  }
  const { current, allowed, blocker, net_minor } = await option('s2');
  assert.deepEqual([current, allowed, blocker?.code, net_minor], [true, false, 'same_plan', 0]);
  const reboot = { allow_reboot: true };
  assert.equal(await order('change-plan', { plan: 's2', ...reboot }), 'same_plan');
  assert.equal(await order('change-plan', { plan: 's2' }), 'same_plan');
  assert.equal(await order('change-plan', { plan: 's2', resize_disk: false, ...reboot }), 'same_plan');
  assert.equal(await order('change-custom', { vcpu: 2, ...reboot }), 'same_plan');
  assert.equal(await order('change-custom', { vcpu: 2, ram_mb: 4096, disk_gb: 40, ...reboot }), 'same_plan');
  assert.deepEqual(await customer.wallet(), before);
  assert.deepEqual(await fixture.db.query(sql`select 1 from jobs where kind like 'change%'`), []);
});

test('a size of one’s own that a VM has is refused as well', async (t) => {
  const { fixture, codes, order } = await owner(t);
  assert.equal(await order('change-custom', { vcpu: 3, allow_reboot: true }), 200);
  await fixture.finish();
  assert.deepEqual(await codes('vcpu=3'), ['same_plan']);
  assert.equal(await order('change-custom', { vcpu: 3, allow_reboot: true }), 'same_plan');
  // The VM differs from a plan with the same disk in size and price.
  assert.deepEqual(await codes('plan=s2'), []);
});

test('an unavailable change is quoted with the same reasons as in the order and the options', async (t) => {
  const { fixture, customer, id, path, quote, codes, order, option } = await owner(t);
  const plans = fixture.installation.services.catalog.plans;
  const cases: [plan: string, code: string][] = [
    ['s1', 'disk_shrink_not_supported'],
    ['s8', 'plan_not_available_in_region'],
    ['d2', 'unknown_plan'],
  ];
  plans.find(({ code }) => code === 's8')!.regions = ['eu-west'];
  plans.find(({ code }) => code === 'd2')!.deprecated = true;
  for (const [plan, code] of cases) {
    const { allowed, net_minor } = await quote(`plan=${plan}`);
    assert.equal(allowed, false);
    assert.notEqual(net_minor, 0, 'the price is shown all the same');
    assert.deepEqual(await codes(`plan=${plan}`), [code]);
    assert.equal(await order('change-plan', { plan, allow_reboot: true }), code);
  }
  assert.equal((await option('s1')).blocker?.code, 'disk_shrink_not_supported');
  assert.deepEqual(await codes('disk_gb=20'), ['disk_shrink_not_supported']);
  const missing = await customer.call({ method: 'GET', path: `${path}/plan-quote?plan=nothing` });
  assert.equal(missing.error?.code, 'unknown_plan');
  assert.deepEqual(
    missing.error?.details?.allowed,
    plans.filter(({ deprecated }) => !deprecated).map(({ code }) => code),
  );
  const senseless = await customer.call({
    method: 'GET',
    path: `${path}/plan-quote?vcpu=4&resize_disk=true`,
  });
  assert.equal(senseless.error?.code, 'validation_failed');

  await fixture.db.query(sql`update vms set status = 'error' where id = ${id}`);
  assert.deepEqual(await codes('plan=s1'), ['disk_shrink_not_supported', 'invalid_state']);
  assert.equal((await option('s4')).blocker?.code, 'invalid_state');
  assert.equal(await order('change-plan', { plan: 's4', allow_reboot: true }), 'invalid_state');
});

test('a quote, an option and the order are one price, with the disk or without', async (t) => {
  const { fixture, customer, quote, order, option } = await owner(t);
  fixture.installation.services.clock.advance(12_345_678);
  const { net_minor, allowed, requires_reboot } = await quote('plan=s4&resize_disk=false');
  assert.deepEqual([allowed, requires_reboot], [true, true]);
  assert.equal((await option('s4')).net_minor, net_minor);
  const before = await customer.wallet();
  assert.equal(await order('change-plan', { plan: 's4', resize_disk: false, allow_reboot: true }), 200);
  await fixture.finish();
  const { available_minor } = await customer.wallet();
  assert.equal(Number(before.available_minor) - Number(available_minor), net_minor);
  assert.equal((await option('s4')).current, true);
});

test('the options are the plans that the VM can change to, and all of them if asked', async (t) => {
  const { customer, path } = await owner(t);
  const options = async (query: string): Promise<Option[]> =>
    customer.must({ method: 'GET', path: `${path}/plan-options${query}` }) as unknown as Option[];
  const all = await options('?all=true');
  const possible = all.filter(({ allowed }) => allowed);
  assert.ok(possible.length > 0 && possible.length < all.length);
  assert.deepEqual(await options(''), possible);
  assert.deepEqual(await options('?all=false'), possible);
});

test('a growing disk is named as irreversible by quote and order, and other changes are not', async (t) => {
  const { fixture, customer, path, quote } = await owner(t);
  const change = async (kind: string, body: object) => {
    const reply = await customer.must({
      method: 'POST',
      path: `${path}/${kind}`,
      body: { ...body, allow_reboot: true },
    });
    await fixture.finish();
    return reply.irreversible;
  };
  for (const [query, kind, body, expected] of [
    ['plan=s4&resize_disk=false', 'change-plan', { plan: 's4', resize_disk: false }, []],
    ['vcpu=3&disk_gb=50', 'change-custom', { vcpu: 3, disk_gb: 50 }, ['disk_gb']],
    ['plan=s8', 'change-plan', { plan: 's8' }, ['disk_gb']],
  ] as const) {
    assert.deepEqual((await quote(query)).irreversible, expected, query);
    assert.deepEqual(await change(kind, body), expected, query);
  }
});
