import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { emptyHosts } from '../../server/jobs/reconcilers/empty-hosts.ts';
import { startOperator } from '../operator/support.ts';
import { vaubanctl } from '../operator/vaubanctl.ts';
import { assertInvariants } from '../support/invariants.ts';
import { order, Rack, S2_MB } from './support.ts';

/** Drains until nothing changes. */
async function empty(rack: Rack, host: string): Promise<string> {
  await rack.db.query(sql`update hosts set state = 'draining' where id = ${host}`);
  for (let round = 0; round < 5; round++) {
    await emptyHosts(rack.installation.services);
    await rack.finish();
  }
  const [row] = await rack.db.query<{ state: string }>(sql`select state from hosts where id = ${host}`);
  return row!.state;
}

/** The columns of a VM that a move must not change. */
async function lasting({ db }: Rack, id: string): Promise<object[]> {
  return db.query(sql`
    select status, wanted_power, mac, zone, ram_mb, (select count(*)::int from orders where vm_id = vms.id) as orders,
      array(select host(address) from ip_addresses where vm_id = vms.id order by address) as addresses,
      (select state - 'host' - 'run' - 'before' from simulator_guests g where g.id = vms.id) as guest
    from vms where id = ${id}`);
}

for (const move of ['live', 'cold'] as const) {
  test(`a drained host is emptied (${move}): VMs, addresses and rules are unchanged elsewhere`, async (t) => {
    const rack = await Rack.open(t, { hosts: [{ name: 'a' }, { name: 'b' }], move });
    const { compute } = rack.installation.services;
    const customer = await rack.customer();
    const on = await rack.buy(customer, { start: true });
    const host = (await rack.hostOf(on))!;
    await rack.buy(customer);
    const off = await rack.buy(customer);
    const rule = { direction: 'in', action: 'accept', protocol: 'tcp', ports: '22', cidrs: ['0.0.0.0/0'] };
    await customer.must({ method: 'POST', path: `/v1/vm/${on}/firewall`, body: rule });
    await rack.installation.services.network.reconcile();
    const before = [await lasting(rack, on), await lasting(rack, off)];
    const since = (await compute.sample([on]))[0]?.cpuSeconds;
    assert.equal(await empty(rack, host), 'evacuated');
    assert.deepEqual([await lasting(rack, on), await lasting(rack, off)], before);
    assert.notEqual(await rack.hostOf(on), host);
    assert.deepEqual([...new Set((await compute.list()).map(({ hostId }) => hostId))].length, 1);
    assert.equal((await compute.inspect(on))?.power, 'running');
    assert.ok(move === 'cold' || (await compute.sample([on]))[0]!.cpuSeconds >= since!);
    const events = await customer.must({ method: 'GET', path: `/v1/vm/${on}/events?type=vm.moved` });
    assert.equal(events.length, 1);
    assert.doesNotMatch(JSON.stringify(events), new RegExp(`"${host}"`));
    await assertInvariants(rack.db);
  });
}

test('a VM that could not be moved live is switched off for its next move', async (t) => {
  const done: string[] = [];
  const faults = (operation: string) => {
    done.push(operation);
    if (operation === 'move' && done.indexOf('move') === done.length - 1)
      throw new Error('the processor there lacks what the guest uses');
  };
  const rack = await Rack.open(t, { hosts: [{ name: 'a' }, { name: 'b' }], faults });
  const { compute } = rack.installation.services;
  const customer = await rack.customer();
  const id = await rack.buy(customer, { start: true });
  const before = await lasting(rack, id);
  const host = (await rack.hostOf(id))!;
  assert.equal(await compute.moveKind(id), 'live');
  assert.equal(await empty(rack, host), 'evacuated');
  assert.deepEqual(await lasting(rack, id), before);
  assert.equal((await compute.inspect(id))?.power, 'running');
  const moves = await rack.db.query<{ status: string }>(
    sql`select status from jobs where vm_id = ${id} and kind = 'move' order by status`,
  );
  assert.deepEqual(
    moves.map(({ status }) => status),
    ['failed', 'succeeded'],
  );
  assert.ok(done.indexOf('move') < done.indexOf('shutdown'), done.join());
  assert.ok(done.lastIndexOf('move') > done.indexOf('shutdown'), done.join());
  await assertInvariants(rack.db);
});

test('during a move a VM has capacity on both hosts, and one without capacity elsewhere stays', async (t) => {
  const rack = await Rack.open(t, { hosts: [{ name: 'a' }, { name: 'b' }], capacity: { ramMb: 2 * S2_MB } });
  const [one, other] = [await rack.customer(), await rack.customer()];
  const first = await rack.buy(one);
  for (const customer of [one, other]) await rack.buy(customer);
  const host = (await rack.hostOf(first))!;
  await rack.db.query(sql`update hosts set state = 'draining' where id = ${host}`);
  await emptyHosts(rack.installation.services);
  // The other host's whole capacity is in use: by an existing VM and by one that is moving there.
  assert.equal((await other.call(order())).error?.code, 'capacity_unavailable');
  const moving = await rack.db.query(sql`select 1 from vms where moving_to is not null`);
  assert.equal(moving.length, 1);
  const spread = await rack.spread();
  assert.equal(await empty(rack, host), spread[host] === 1 ? 'evacuated' : 'draining');
  assert.deepEqual(Object.values(await rack.spread()).toSorted(), spread[host] === 1 ? [3] : [1, 2]);
  await assertInvariants(rack.db);
});

test('a VM that a host refuses is sent to another next time, and to the same one if there is no other', async (t) => {
  const rack = await Rack.open(t, { hosts: [{ name: 'a' }, { name: 'b' }, { name: 'c' }], move: 'cold' });
  const { services } = rack.installation;
  const id = await rack.buy(await rack.customer(), { start: true });
  const host = (await rack.hostOf(id))!;
  const [b, c] = (await services.compute.hosts()).map((one) => one.id).filter((one) => one !== host);
  await rack.db.query(sql`update hosts set state = 'draining' where id = ${host}`);
  const refusing = new Set([b!, c!]);
  const move = services.compute.move.bind(services.compute);
  services.compute.move = async (guest, to, how, signal) => {
    if (refusing.has(to.hostId)) throw new Error('this host cannot start it');
    await move(guest, to, how, signal);
  };
  const destinations = new Map<string, string>();
  const sent: (string | undefined)[] = [];
  const round = async () => {
    await emptyHosts(services, undefined, destinations);
    sent.push(destinations.get(id));
    await rack.finish();
  };
  await round();
  await round();
  assert.deepEqual(sent.toSorted(), [b, c].toSorted());
  assert.equal(await rack.hostOf(id), host);
  const [first, second] = sent;
  await rack.db.query(sql`update hosts set state = 'draining' where id = ${first!}`);
  refusing.clear();
  await round();
  assert.equal(await rack.hostOf(id), second);
  await assertInvariants(rack.db);
});

test('hosts are listed, drained, undrained, lost and found by their names', async (t) => {
  const { dataDir, db } = await startOperator(t, { hosts: [{ name: 'a1' }, { name: 'a2' }] });
  const ctl = (...args: string[]) => vaubanctl(dataDir, 'host', ...args);
  const states = async () =>
    JSON.parse((await ctl('list', '--json')).stdout).map(({ state }: { state: string }) => state);
  assert.deepEqual(await states(), ['up', 'up']);
  assert.match((await ctl('drain', 'a1', '--yes')).stdout, /^a1 +evacuated/m);
  assert.deepEqual(await states(), ['evacuated', 'up']);
  assert.match((await ctl('undrain', 'a1')).stdout, /^a1 +up/m);
  assert.equal((await ctl('lose', 'a2')).code, 0);
  assert.match((await ctl('find', 'a2')).stdout, /^a2 /m);
  assert.notEqual((await ctl('drain', 'none', '--yes')).code, 0);
  const logged = await db.query<{ request: string }>(sql`select request from operator_log order by id`);
  const requests = logged.map(({ request }) => request);
  for (const action of ['a1/drain', 'a1/undrain', 'a2/lose', 'a2/find'])
    assert.ok(requests.includes(`POST /hosts/${action}`), requests.join('\n'));
});

test('an engine that cannot move VMs refuses a drain', async (t) => {
  const { dataDir } = await startOperator(t, { move: 'none' });
  const { stderr, code } = await vaubanctl(dataDir, 'host', 'drain', 'simulator', '--yes');
  assert.notEqual(code, 0);
  assert.match(stderr, /cannot move VMs between hosts/);
});
