import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { setHostState } from '../../server/db/queries/hosts/hosts.ts';
import type { Customer } from '../jobs/support/customer.ts';
import { depth } from '../support/depth.ts';
import { assertInvariants } from '../support/invariants.ts';
import { order, Rack, S2_MB } from './support.ts';

const THREE = [{ name: 'a' }, { name: 'b' }, { name: 'c' }];
const S4_MB = 8_192;
/** Twice the number of connections: more requests would wait for one and might be refused on a busy machine. */
const AT_ONCE = 16;

/** VMs that fit on each of three hosts; a third more are ordered. */
const EACH = depth(10, 50);

test(`of ${4 * EACH} creations that race for the capacity of ${3 * EACH} on three hosts, no host is oversold`, async (t) => {
  const each = EACH;
  const rack = await Rack.open(t, { hosts: THREE, capacity: { ramMb: each * S2_MB } });
  const racers: Customer[] = [];
  for (let n = 0; n < 20; n++) racers.push(await rack.customer());
  const waiting = racers.flatMap((racer) => Array<Customer>(each / 5).fill(racer)).values();
  const replies: Awaited<ReturnType<Customer['call']>>[] = [];
  const buyNext = async () => {
    for (const racer of waiting) replies.push(await racer.call(order()));
  };
  await Promise.all(Array.from({ length: AT_ONCE }, buyNext));
  const refused = replies.flatMap(({ status, error }) => (status === 200 ? [] : [[status, error?.code]]));
  assert.deepEqual(refused, Array(each).fill([503, 'capacity_unavailable']));
  assert.deepEqual(await rack.spread(), { a: each, b: each, c: each });
  await rack.finish();
  const guests = await rack.installation.services.compute.list();
  for (const { id, hostId } of guests) assert.equal(await rack.hostOf(id), hostId);
  assert.equal(guests.length, 3 * each);
  await assertInvariants(rack.db);
});

test('VMs are spread by reservations, and those of an account over hosts without any of its VMs', async (t) => {
  const rack = await Rack.open(t, { hosts: THREE, capacity: { ramMb: 10 * S4_MB } });
  const [one, other] = [await rack.customer(), await rack.customer()];
  for (let n = 0; n < 3; n++) await rack.buy(one);
  assert.deepEqual(await rack.spread(), { a: 1, b: 1, c: 1 });
  const large = await rack.hostOf(await rack.buy(other, { plan: 's4' }));
  await rack.buy(other);
  await rack.buy(other);
  assert.deepEqual(await rack.spread(), { a: 2, b: 2, c: 2 });
  // Every host has one of the account's VMs: the one with the large VM has the least free capacity.
  for (let n = 0; n < 2; n++) assert.notEqual(await rack.hostOf(await rack.buy(other)), large);
});

test('a host that is drained or lost takes no VM, and a region without another host is not available', async (t) => {
  const hosts = [
    { name: 'a', zones: ['eu-central-a'] },
    { name: 'b', zones: ['eu-central-b'] },
    { name: 'w', zones: ['eu-west-a'] },
  ];
  const rack = await Rack.open(t, { hosts, capacity: { ramMb: 2 * S2_MB } });
  const customer = await rack.customer();
  const regions = async () => {
    const { regions } = await customer.must({ method: 'GET', path: '/v1/vm/catalog' });
    return Object.fromEntries(
      regions.map(({ code, available_zones }: Record<string, unknown>) => [code, available_zones]),
    );
  };
  const zones = ['eu-central-a', 'eu-central-b'];
  assert.deepEqual(await regions(), { 'eu-central': zones, 'eu-west': ['eu-west-a'] });
  await setHostState(rack.db, 'a', 'draining');
  await rack.lose('w');
  assert.deepEqual(await regions(), { 'eu-central': ['eu-central-b'], 'eu-west': [] });
  const { vm } = await customer.must(order());
  assert.equal(vm.zone, 'eu-central-b');
  for (const wish of [{ zone: 'eu-central-a' }, { region: 'eu-west' }]) {
    const { status, error } = await customer.call(order(wish));
    assert.deepEqual([status, error?.code], [503, 'capacity_unavailable']);
    assert.deepEqual(error?.details, { retry_after_seconds: 30 });
  }
  await rack.find('w');
  assert.deepEqual((await regions())['eu-west'], ['eu-west-a']);
  await customer.must(order({ region: 'eu-west' }));
  // Host b has memory for one more of the smallest VM, and then none.
  await customer.must(order());
  assert.deepEqual((await regions())['eu-central'], []);
  assert.equal((await customer.call(order())).error?.code, 'capacity_unavailable');
  await rack.finish();
});

test('a VM grows within its own host', async (t) => {
  const hosts = [{ name: 'a', capacity: { ramMb: 2 * S2_MB } }, { name: 'b' }];
  const rack = await Rack.open(t, { hosts });
  const [one, other] = [await rack.customer(), await rack.customer()];
  await setHostState(rack.db, 'b', 'draining');
  const first = await rack.buy(one);
  await rack.buy(other);
  const grow = { method: 'POST', path: `/v1/vm/${first}/change-plan`, body: { plan: 's4' } } as const;
  const quote = { method: 'GET', path: `/v1/vm/${first}/plan-quote?plan=s4` } as const;
  assert.equal((await one.call(grow)).error?.code, 'capacity_unavailable');
  assert.deepEqual(
    (await one.must(quote)).blockers.map(({ code }: { code: string }) => code),
    ['capacity_unavailable'],
  );
  await rack.db.query(sql`update hosts set state = 'up' where id = 'b'`);
  assert.equal((await one.call(grow)).error?.code, 'capacity_unavailable');
});
