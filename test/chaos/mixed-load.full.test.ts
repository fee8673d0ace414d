import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { freshDatabaseLocation } from '../support/database.ts';
import { deadlocks } from '../support/deadlocks.ts';
import { assertInvariants } from '../support/invariants.ts';
import { startService } from '../support/service.ts';
import { forAnotherNode, SHARED_SETTINGS, skipWithoutPostgres } from './support/another-node.ts';
import { Customer, newCustomer, operate } from './support/customer.ts';

/** The duration of the load. A longer load finds more, but a shorter one never fails because of its length. */
const SECONDS = Number(process.env.VAUBAN_TEST_LOAD_SECONDS ?? 5);
const CUSTOMERS = 4;
/** Concurrent clients per customer, all on the same VMs. */
const CLIENTS = 3;
const SETTINGS = {
  ...SHARED_SETTINGS,
  VAUBAN_SIMULATOR_BOOT_SECONDS: '0',
  VAUBAN_RATE_LIMIT_KEY: '10000000',
  VAUBAN_RATE_LIMIT_ACCOUNT: '10000000',
};
/** Refusals that are correct if another client was faster. */
const IN_THE_WAY = [402, 404, 409, 422];

interface Place {
  customer: Customer;
  vms: string[];
  tenant: string;
  target: string;
}

async function send(place: Place, method: string, path: string, body?: unknown) {
  const reply = await place.customer.send(method, path, { body, idempotencyKey: randomUUID() });
  const isRight = reply.status === 200 || IN_THE_WAY.includes(reply.status);
  assert.ok(isRight, `${method} ${path}: ${reply.status} ${reply.text}`);
  return reply.status === 200 ? reply.json.data : undefined;
}

async function addAndDelete(place: Place, path: string, body: unknown): Promise<void> {
  const made = await send(place, 'POST', path, body);
  if (made) await send(place, 'DELETE', `${path}/${made.id}`);
}

const pick = <T>(all: readonly T[]): T => all[Math.floor(Math.random() * all.length)]!;
const port = () => 1 + Math.floor(Math.random() * 60_000);

/** The customers' actions, each on one of their VMs. */
const ACTIONS: ((place: Place, vm: string) => Promise<unknown>)[] = [
  (place, vm) =>
    addAndDelete(place, `/v1/vm/${vm}/firewall`, {
      ...{ direction: 'in', action: 'accept', protocol: 'tcp' },
      ports: `${port()}`,
      cidrs: ['198.51.100.0/24'],
    }),
  (place, vm) =>
    addAndDelete(place, `/v1/vm/${vm}/port-forwarding`, { protocol: 'tcp_udp', internal_port: 22 }),
  (place) =>
    addAndDelete(place, `/v1/tenants/${place.tenant}/targets/${place.target}/rules`, {
      ...{ action: 'block', protocol: 'udp' },
      destination_ports: [`${port()}`],
    }),
  (place, vm) => addAndDelete(place, `/v1/vm/${vm}/console-shares`, { mode: 'read_only' }),
  (place, vm) => send(place, 'PATCH', `/v1/vm/${vm}`, { notes: randomUUID() }),
  (place, vm) => send(place, 'POST', `/v1/vm/${vm}/${pick(['start', 'stop', 'reboot', 'force-stop'])}`, {}),
  (place, vm) => send(place, 'POST', `/v1/vm/${vm}/snapshots`, {}),
  (place, vm) => send(place, 'POST', `/v1/vm/${vm}/ssh-token`, {}),
  (place, vm) => send(place, 'GET', `/v1/vm/${vm}/console`),
  (place, vm) => send(place, 'POST', `/v1/vm/${vm}/ai-agent/clear`, {}),
  askAgent,
  (place, vm) =>
    send(place, 'POST', `/v1/vm/${vm}/change-plan`, { plan: pick(['s1', 's2']), allow_reboot: true }),
  (place) =>
    operate(place.customer.target, `/accounts/${place.customer.accountId}/credits`, { amount: '1.00' }),
  (place) =>
    operate(place.customer.target, `/targets/${place.target}/mode`, {
      mode: pick(['always_on', 'sensor', 'off']),
    }),
  (place) => buyAndGiveBack(place),
];

/** Reads the agent's events to the end. */
async function askAgent({ customer: { target, key } }: Place, vm: string): Promise<void> {
  const reply = await fetch(`${target.baseUrl}/v1/vm/${vm}/ai-agent`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ message: 'Why is the disk full?' }),
  });
  const text = await reply.text();
  assert.ok(reply.status === 200 || IN_THE_WAY.includes(reply.status), text);
}

async function buyAndGiveBack(place: Place): Promise<void> {
  const made = await send(place, 'POST', '/v1/vm', {
    plan: 's1',
    template: 'debian-12',
    hostname: 'passing',
  });
  if (!made) return;
  // Sometimes before the VM is complete.
  if (Math.random() < 0.5) await place.customer.settled(made.vm.id);
  await send(place, 'DELETE', `/v1/vm/${made.vm.id}`);
}

async function openPlace(customer: Customer): Promise<Place> {
  const vms: string[] = [];
  for (const hostname of ['one', 'two']) {
    const { vm } = await customer.ask('POST', '/v1/vm', { plan: 's1', template: 'debian-12', hostname });
    vms.push(vm.id);
  }
  const [{ ipv4 }] = [await customer.settled(vms[0]!), await customer.settled(vms[1]!)];
  const tenant = await operate(customer.target, `/accounts/${customer.accountId}/tenants`, { name: 'load' });
  const target = await operate(customer.target, `/tenants/${tenant.id}/targets`, { ip: ipv4 });
  return { customer, vms, tenant: tenant.id, target: target.id };
}

test('concurrent requests of customers on two nodes neither deadlock nor lose anything', {
  skip: skipWithoutPostgres,
  timeout: SECONDS * 1000 + 600_000,
}, async (t) => {
  const location = await freshDatabaseLocation(t);
  const nodes = [
    await startService(t, { location, env: SETTINGS }),
    await startService(t, { location: await forAnotherNode(t, location), env: SETTINGS }),
  ];
  const places = await Promise.all(
    Array.from({ length: CUSTOMERS }, async () =>
      openPlace(await newCustomer(nodes[0]!, { credit: '10000' })),
    ),
  );
  const over = performance.now() + SECONDS * 1000;
  let actions = 0;
  const clients = places.flatMap((place, index) =>
    Array.from({ length: CLIENTS }, async (_, client) => {
      const { accountId, key, keyId } = place.customer;
      const node = nodes[(index + client) % nodes.length]!;
      const customer = new Customer(node, accountId, { key, id: keyId });
      for (; performance.now() < over; actions++)
        await pick(ACTIONS)({ ...place, customer }, pick(place.vms));
    }),
  );
  await Promise.all(clients);
  for (const { customer, vms } of places) for (const vm of vms) await customer.settled(vm);
  t.diagnostic(`${actions} actions in ${SECONDS} s`);
  for (const node of nodes) await node.stop();
  const db = await location.open();
  try {
    assert.equal(await deadlocks(db), 0);
    await assertInvariants(db);
  } finally {
    await db.close();
  }
});
