import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ALLOWANCE, Env, INTERNET, listen, OPEN, type TestGuest, whyNot } from './support/env.ts';

const skip = whyNot();
const CONNECTIONS = 30;
const PACKETS = 200;
const LIMITS = `${ALLOWANCE}
guest_connections: ${CONNECTIONS}
guest_packets_per_second: ${PACKETS}
`;
const MORE = 20;

/** Returns the number of packets dropped because of a guest's limit. */
async function refused(env: Env, guest: TestGuest, what: 'connections' | 'packets'): Promise<number> {
  const json = await env.host.run('nft', '-j', 'list', 'counter', 'inet', 'vauban', `${what}-${guest.tap}`);
  return JSON.parse(json).nftables.find((one: object) => 'counter' in one).counter.packets;
}

test("a guest's connections are limited, in and out, and others have their own limit", {
  skip,
}, async (t) => {
  const env = await Env.open(t, undefined, LIMITS);
  const [crowded, other] = [await env.guest(t, 50, OPEN), await env.guest(t, 51, OPEN)];
  await Promise.all([listen(env.internet, 6000), listen(crowded.space, 80), listen(other.space, 80)]);
  const begin = (guest: TestGuest, count: number) =>
    guest.space.ask({ do: 'sendFlows', host: INTERNET[4], port: 6000, count });
  const arrived = (guest: TestGuest) =>
    env.internet.arrivals(6000).filter((from) => from === guest.v4).length;

  await begin(crowded, CONNECTIONS + MORE);
  await env.settle(crowded.space, crowded);
  assert.equal(arrived(crowded), CONNECTIONS);
  assert.equal(await refused(env, crowded, 'connections'), MORE);
  // From either side, whatever the guest's rules are.
  await env.network.apply(crowded, OPEN);
  await env.internet.ask({ do: 'sendFlows', host: crowded.v4, port: 80, count: MORE });
  await env.settle(env.internet, crowded);
  assert.deepEqual(crowded.space.arrivals(80), []);
  assert.equal(await refused(env, crowded, 'connections'), 2 * MORE);
  const reading = (await env.network.counters([crowded.id])).get(crowded.id);
  assert.deepEqual(reading?.refused, { connections: 2 * MORE, packets: 0 });

  await begin(other, MORE);
  await env.internet.ask({ do: 'sendFlows', host: other.v4, port: 80, count: CONNECTIONS });
  await env.settle(env.internet, other);
  await env.settle(other.space, other);
  assert.deepEqual([arrived(other), other.space.arrivals(80).length], [MORE, CONNECTIONS - MORE]);
  assert.equal(await refused(env, other, 'connections'), MORE);
});

test('a flooding guest is limited before anything else, and others keep sending', {
  skip,
}, async (t) => {
  const env = await Env.open(t, undefined, LIMITS);
  const [flooding, other] = [await env.guest(t, 52, OPEN), await env.guest(t, 53, OPEN)];
  await listen(env.internet, 6001);
  const count = 20 * PACKETS;
  const to = ['-b', await env.gatewayMac(flooding)];
  const flood = ['-q', '-c', `${count}`, '-t', 'udp', 'dp=6001,sp=7000'];
  await flooding.space.run('mausezahn', 'eth0', '-A', flooding.v4, '-B', INTERNET[4], ...to, ...flood);
  await env.settle(flooding.space, flooding);
  const passed = env.internet.arrivals(6001).length;
  t.diagnostic(`${passed} of ${count} passed`);
  assert.ok(passed > 0 && passed < count);
  assert.ok((await refused(env, flooding, 'packets')) >= count - passed);
  await other.space.ask({ do: 'sendUdp', host: INTERNET[4], port: 6001, count: MORE });
  await env.internet.arrived(6001, passed + MORE);
  assert.equal(await refused(env, other, 'packets'), 0);
});

test('port 25 of others is closed to a guest until it is opened, and other mail ports are open', {
  skip,
}, async (t) => {
  const env = await Env.open(t);
  const [guest, other] = [await env.guest(t, 54, OPEN), await env.guest(t, 55, OPEN)];
  await listen(env.internet, 25, 465, 587);
  await listen(other.space, 25);
  const open = async (host: string, port: number) =>
    guest.space.ask({
      do: 'echo',
      socket: (await guest.space.ask({ do: 'dial', host, port })) as number,
      text: 'x',
    });
  const everywhere = [INTERNET[4], INTERNET[6], other.v4, other.v6];
  for (const host of everywhere) await guest.space.ask({ do: 'dial', host, port: 25 });
  for (const port of [465, 587]) assert.equal(await open(INTERNET[4], port), 'x');
  await env.settle(guest.space, guest);
  await env.settle(guest.space, other);
  assert.deepEqual([env.internet.arrivals(25), other.space.arrivals(25)], [[], []]);
  // Incoming mail is not blocked.
  await listen(guest.space, 25);
  await env.internet.ask({ do: 'dial', host: guest.v4, port: 25 });
  await guest.space.arrived(25, 1);

  await env.network.apply(guest, { ...OPEN, smtpOpen: true });
  for (const host of everywhere) assert.equal(await open(host, 25), 'x');
});
