import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { freshDatabaseLocation } from '../support/database.ts';
import { startControlled } from './support/controlled.ts';
import { type Customer, newCustomer, operate } from './support/customer.ts';

/** Kills per change. Each costs a start of the service, which takes nearly all of the test's time. */
const KILLS = 3;
/** The number of polls of a service that should die; each takes a few milliseconds. */
const PATIENCE = 2_000;
const SECOND = 1000;

interface Rule {
  id: string;
  status: string;
  source_ports: string[];
}

type Ask = (customer: Customer) => Promise<unknown>;

/** A second pass of the reconciler happens or not, depending on timing. */
const BY_CHANCE = / #(?!1$)\d+$/;

/** Selects `count` points, evenly spread from first to last. */
const spread = (points: string[], count: number) =>
  Array.from({ length: count }, (_, i) => points[Math.round((i * (points.length - 1)) / (count - 1))]!);

test('killed in the middle of a change of rules, nothing is left inconsistent', async (t) => {
  const location = await freshDatabaseLocation(t);
  const env = {
    VAUBAN_SIMULATOR_BOOT_SECONDS: '0.05',
    VAUBAN_RATE_LIMIT_KEY: '1000000',
    VAUBAN_RATE_LIMIT_ACCOUNT: '1000000',
  };
  let node = await startControlled(t, { location, now: '2026-01-01T00:00:00.000Z', env });
  const customer = await newCustomer(node, { credit: '100' });
  const body = { plan: 's1', template: 'debian-12', hostname: 'shielded' };
  const { vm } = await customer.ask('POST', '/v1/vm', body);
  await node.settle();
  const { ipv4 } = await customer.ask('GET', `/v1/vm/${vm.id}`);
  const tenant = await operate(node, `/accounts/${customer.accountId}/tenants`, { name: 'chaos' });
  const target = await operate(node, `/tenants/${tenant.id}/targets`, { ip: ipv4 });
  const path = `/v1/tenants/${tenant.id}/targets/${target.id}/rules`;
  const rules = (): Promise<Rule[]> => customer.ask('GET', `${path}?limit=100`);
  /** Runs the reconciler until the edge is complete; returns the rules. */
  const settled = async (): Promise<Rule[]> => {
    for (;;) {
      await node.advance(SECOND);
      const all = await rules();
      const { on_edge } = await operate(node, `/targets/${target.id}`);
      if (on_edge && all.every(({ status }) => status === 'active')) return all;
    }
  };
  const add =
    (port: number): Ask =>
    (who) =>
      who.send('POST', path, { body: { action: 'block', protocol: 'udp', source_ports: [`${port}`] } });
  const remove =
    (id: string): Ask =>
    (who) =>
      who.send('DELETE', `${path}/${id}`);
  const learn = async (ask: Ask): Promise<string[]> => {
    await node.record();
    await ask(customer);
    for (let on_edge = false; !on_edge; ) ({ on_edge } = await operate(node, `/targets/${target.id}`));
    return (await node.points()).filter(
      (point) => /shield|simulator_edge/.test(point) && !BY_CHANCE.test(point),
    );
  };
  const killAt = async (point: string, ask: Ask): Promise<void> => {
    await rules();
    await node.record(point);
    let looks = 0;
    const asking = ask(customer).catch(() => {});
    assert.ok(await node.dies(() => ++looks > PATIENCE), `never came to: ${point}`);
    await asking;
    node = await startControlled(t, { location, now: node.now, env });
    customer.target = node;
  };

  await settled();
  const adding = await learn(add(1));
  const [first] = await settled();
  const removing = await learn(remove(first!.id));
  assert.deepEqual(await settled(), []);
  for (const [index, point] of spread(adding, KILLS).entries()) {
    const port = 10 + index;
    await killAt(point, add(port));
    await add(port)(customer);
    const ports = (await settled()).map(({ source_ports: [one] }) => one);
    assert.equal(ports.filter((one) => one === `${port}`).length, 1, `once, after a death at: ${point}`);
  }
  for (const point of spread(removing, KILLS)) {
    const [rule] = await rules();
    await killAt(point, remove(rule!.id));
    await remove(rule!.id)(customer);
    const left = await settled();
    assert.ok(!left.some(({ id }) => id === rule!.id), `gone, after a death at: ${point}`);
  }
  t.diagnostic(`${adding.length} points of adding, ${removing.length} of deleting, ${2 * KILLS} kills`);
  await add(99)(customer);
  const last = await settled();
  await node.service.stop();
  const db = await location.open();
  const edge = await db.query<{ id: string; rules: { id: string }[] }>(
    sql`select id, state->'rules' as rules from simulator_edge_targets`,
  );
  await db.close();
  assert.deepEqual(
    edge.map(({ id, rules: held }) => [id, held.map((rule) => rule.id)]),
    [[target.id, last.map(({ id }) => id)]],
    'the edge holds what the database says',
  );
});
