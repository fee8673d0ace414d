import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type ControlledService, startControlled } from '../chaos/support/controlled.ts';
import { type Customer, newCustomer } from '../chaos/support/customer.ts';
import { statementOf } from '../chaos/support/sweep.ts';
import { call } from '../operator/support.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../support/database.ts';

/** Points of a move at which the node dies: evenly distributed, including the first and the last. */
const KILLS = 8;
/** Longer than any background task sleeps. */
const IDLE_SECONDS = 70;
/** Rounds of emptying hosts, each one second or less: far more than a move needs. */
const ROUNDS = 120;
const HOSTS = ['a', 'b'];

/** One VM on one of two hosts, and a node that is killed and restarted. */
class World {
  readonly #t: TestContext;
  readonly #location: DatabaseLocation;
  node!: ControlledService;
  customer!: Customer;
  vmId = '';
  moves = 0;

  constructor(t: TestContext, location: DatabaseLocation) {
    this.#t = t;
    this.#location = location;
  }

  async start(): Promise<void> {
    this.node = await startControlled(this.#t, {
      location: this.#location,
      now: this.node?.now ?? '2026-01-01T00:00:00.000Z',
      env: { VAUBAN_SIMULATOR_HOSTS: HOSTS.join(', '), VAUBAN_SIMULATOR_BOOT_SECONDS: '0.05' },
    });
    if (this.customer) this.customer.target = this.node;
  }

  async buy(): Promise<void> {
    this.customer = await newCustomer(this.node, { credit: '20' });
    const body = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
    this.vmId = (await this.customer.ask('POST', '/v1/vm', body)).vm.id;
    await this.node.settle();
  }

  async host(): Promise<string> {
    const { vms } = await this.node.places();
    assert.match(vms.join(), /^\S+ [ab]$/);
    return vms[0]!.split(' ')[1]!;
  }

  operate(host: string, action: 'drain' | 'undrain') {
    return call(this.node.operatorSocket, 'POST', `/hosts/${host}/${action}`);
  }

  /** Passes time until the VM is on a host other than `from`. */
  async arrive(from: string): Promise<void> {
    for (let round = 0; ; round++) {
      await this.node.settle();
      const { guests, vms } = await this.node.places();
      if (vms.every((line) => !line.includes('moving') && !line.endsWith(` ${from}`))) {
        assert.deepEqual(guests, vms, 'one copy, where it is recorded');
        break;
      }
      assert.ok(round < ROUNDS, `still there: ${guests} ${vms}`);
      await this.node.advance(1_000);
    }
    this.moves++;
    assert.equal((await this.operate(from, 'undrain')).status, 200);
  }

  /** Checks that a move has changed none of the customer's property, and that there was one event per move. */
  async check(before: object): Promise<void> {
    assert.deepEqual(await this.belongings(), before);
    const moved = await this.customer.ask('GET', `/v1/vm/${this.vmId}/events?type=vm.moved&limit=100`);
    assert.equal(moved.length, this.moves);
    assert.deepEqual(await this.node.problems(), []);
  }

  async belongings(): Promise<object> {
    const { status, ipv4, ipv6, plan } = await this.customer.ask('GET', `/v1/vm/${this.vmId}`);
    const orders: { kind: string; status: string }[] = await this.customer.ask('GET', '/v1/billing/orders');
    const { available_minor, held_minor } = await this.customer.ask('GET', '/v1/billing/wallet');
    return { status, ipv4, ipv6, plan, orders, available_minor, held_minor };
  }

  /** Returns the points that a move reaches, without those that an idle node reaches. */
  async learn(): Promise<string[]> {
    await this.node.idle(IDLE_SECONDS);
    await this.node.record();
    await this.node.idle(IDLE_SECONDS);
    const idle = new Set((await this.node.points()).map(statementOf));
    const from = await this.host();
    await this.node.record();
    assert.equal((await this.operate(from, 'drain')).status, 200);
    await this.node.settle();
    const points = await this.node.points();
    await this.arrive(from);
    return points.filter((point) => !idle.has(statementOf(point)));
  }

  /** Moves the VM and kills the node at `point`; returns whether the point was reached. */
  async moveKilledAt(point: string): Promise<boolean> {
    const from = await this.host();
    await this.node.record(point);
    let answered = false;
    const asked = this.operate(from, 'drain')
      // The kill cut the request off.
      .catch(() => {})
      .finally(() => {
        answered = true;
      });
    const died = await this.node.dies(() => answered);
    await asked;
    if (died) await this.start();
    // The node may have died before the drain was recorded.
    assert.equal((await this.operate(from, 'drain')).status, 200);
    await this.arrive(from);
    return died;
  }
}

test('killed anywhere in a move, a VM is on one host, unchanged, billed once', async (t) => {
  const world = new World(t, await freshDatabaseLocation(t));
  await world.start();
  await world.buy();
  const before = await world.belongings();
  const points = await world.learn();
  await world.check(before);
  let kills = 0;
  for (let n = 0; n < KILLS; n++) {
    const point = points[Math.round((n * (points.length - 1)) / (KILLS - 1))]!;
    if (await world.moveKilledAt(point)) kills++;
    else t.diagnostic(`never came to: ${point}`);
    await world.check(before);
  }
  t.diagnostic(`${kills} kills at ${points.length} points`);
  // The order of statements depends on background work, so a few points may be missed.
  assert.ok(kills >= KILLS - 2, `${kills} of ${KILLS}`);
});
