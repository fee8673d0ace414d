import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { creditLostHosts } from '../../server/jobs/timers/credit-lost-hosts.ts';
import { Failures } from '../../server/platform/failures.ts';
import { assertInvariants } from '../support/invariants.ts';
import { Rack } from './support.ts';

const HOUR_MS = 3_600_000;
const SLA = { credits: [{ uptime_below: '99.9', percent: 10 }], lost_hosts: true };
const TWO = { hosts: [{ name: 'a' }, { name: 'b' }] };

for (const sla of [SLA, { ...SLA, lost_hosts: false }]) {
  test(`the time of a lost host is ${sla.lost_hosts ? 'credited once to each VM that was on it' : 'not credited unless the catalog says so'}`, async (t) => {
    const rack = await Rack.open(t, TWO);
    const { services } = rack.installation;
    services.catalog.sla = sla;
    const customer = await rack.customer();
    const lost = await rack.buy(customer, { start: true });
    const spared = await rack.buy(customer, { start: true });
    const host = (await rack.hostOf(lost))!;
    assert.notEqual(await rack.hostOf(spared), host);
    const before = (await customer.wallet()).available_minor;
    const credit = () => creditLostHosts(services, new Failures(services));
    await rack.lose(host);
    services.clock.advance(2 * HOUR_MS);
    await rack.watch.run();
    await credit();
    assert.equal((await customer.wallet()).available_minor, before, 'nothing before it is found');
    await rack.find(host);
    for (let round = 0; round < 3; round++) {
      await credit();
      await rack.watch.run();
    }
    const orders = await rack.db.query<{ vm_id: string; amount_minor: bigint; actor: string }>(
      sql`select vm_id, amount_minor, actor from orders where adjustment = 'sla_credit'`,
    );
    const [sale] = await rack.db.query<{ amount_minor: bigint }>(
      sql`select amount_minor from orders where vm_id = ${lost} and kind = 'create'`,
    );
    const due = sla.lost_hosts ? (sale!.amount_minor + 5n) / 10n : 0n;
    assert.deepEqual(orders, due ? [{ vm_id: lost, amount_minor: -due, actor: 'service' }] : []);
    assert.equal((await customer.wallet()).available_minor, before + due);
    const outages = await rack.db.query<{ hours: number; status: string }>(
      sql`select extract(epoch from to_at - from_at)::int / 3600 as hours, status from outages`,
    );
    assert.deepEqual(outages, due ? [{ hours: 2, status: 'credited' }] : []);
    // A second loss in the same month adds no credit, but is recorded.
    await rack.lose(host);
    services.clock.advance(HOUR_MS);
    await rack.find(host);
    await credit();
    assert.equal((await customer.wallet()).available_minor, before + due);
    await assertInvariants(rack.db);
  });
}

test('a VM that its engine has started on another host is followed there, and its time away is credited', async (t) => {
  const rack = await Rack.open(t, TWO);
  const { services } = rack.installation;
  services.catalog.sla = SLA;
  const customer = await rack.customer();
  const id = await rack.buy(customer, { start: true });
  const host = (await rack.hostOf(id))!;
  const other = (await services.compute.hosts()).find((each) => each.id !== host)!.id;
  await rack.lose(host);
  services.clock.advance(2 * HOUR_MS);
  await services.guests.run();
  assert.equal(await rack.hostOf(id), host);
  // Like an engine that fences a dead host and also has its guests' disks elsewhere.
  await rack.db.query(
    sql`update simulator_guests set state = jsonb_set(state, '{host}', to_jsonb(${other}::text)) where id = ${id}`,
  );
  await services.guests.run();
  assert.equal(await rack.hostOf(id), other);
  const path = `/v1/vm/${id}`;
  assert.equal((await customer.must({ method: 'GET', path })).status, 'running');
  const [event] = await customer.must({ method: 'GET', path: `${path}/events?type=vm.moved` });
  assert.match(event.message, /could not be reached/);
  await creditLostHosts(services, new Failures(services));
  await rack.find(host);
  await creditLostHosts(services, new Failures(services));
  assert.deepEqual(
    await rack.db.query(
      sql`select vm_id, extract(epoch from to_at - from_at)::int / 3600 as hours, status from outages`,
    ),
    [{ vm_id: id, hours: 2, status: 'credited' }],
  );
  await customer.must({ method: 'POST', path: `${path}/stop` });
  await rack.finish();
  await assertInvariants(rack.db);
});
