import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CLOSED,
  Env,
  FORWARD_ADDRESS,
  GATEWAY,
  HOST,
  INTERNET,
  listen,
  OPEN,
  whyNot,
} from './support/env.ts';
import { arpFrame, udpFrame } from './support/frames.ts';
import { both, entry } from './support/rules.ts';

const skip = whyNot();
const N = 50;

test('a packet with a forged sender is dropped and counted', { skip }, async (t) => {
  const env = await Env.open(t);
  const guest = await env.guest(t, 14, OPEN);
  const other = await env.guest(t, 15, OPEN);
  await listen(env.internet, 6000);
  const to = await env.gatewayMac(guest);
  const send = (from: string, mac = guest.mac) =>
    guest.send(
      udpFrame({ from: mac, to }, { from, to: from.includes(':') ? INTERNET[6] : INTERNET[4] }, 6000),
      N,
    );
  await send(guest.v4);
  await send(guest.v6);
  await env.internet.arrived(6000, 2 * N);
  assert.equal(await env.spoofed(), 0);
  // Another guest's address, a foreign address, and its own address with another card's MAC; the same in IPv6.
  const lies: [string, string?][] = [
    [other.v4],
    ['192.0.2.77'],
    [guest.v4, other.mac],
    [other.v6],
    ['2001:db8:9::1'],
    [guest.v6, other.mac],
  ];
  for (const [index, [from, mac]] of lies.entries()) {
    await send(from, mac);
    await env.settle(guest.space, guest);
    assert.equal(await env.spoofed(), (index + 1) * N, `${from} ${mac ?? ''}`);
  }
  assert.equal(env.internet.arrivals(6000).length, 2 * N);
  await guest.send(arpFrame(guest.mac, other.v4, GATEWAY[4]), N);
  await env.settle(guest.space, guest);
  assert.equal(await env.spoofed('arp'), N);
});

test('a guest reaches nothing of the host, and another guest by the rules of both', { skip }, async (t) => {
  const env = await Env.open(t);
  const [a, b] = [await env.guest(t, 16, OPEN), await env.guest(t, 17, CLOSED)];
  await listen(env.host, 8080);
  await listen(b.space, 80);
  for (const host of [HOST[4], HOST[6], FORWARD_ADDRESS]) {
    await a.space.ask({ do: 'dial', host, port: 8080 });
    await a.space.ask({ do: 'sendFlows', host, port: 8080, count: N });
    await a.space.run('ping', '-n', '-c', '1', host);
  }
  await env.internet.ask({ do: 'sendFlows', host: HOST[4], port: 8080, count: 1 });
  await env.host.arrived(8080, 1);
  await env.settle(a.space, a);
  assert.deepEqual(env.host.arrivals(8080), [INTERNET[4]]);

  for (const host of both(b)) await a.space.ask({ do: 'sendFlows', host, port: 80, count: N });
  await env.settle(a.space, b);
  assert.deepEqual(b.space.arrivals(80), []);
  await env.network.apply(b, {
    ...CLOSED,
    firewall: [entry({ protocol: 'udp', ports: '80', cidrs: [`${a.v4}/32`] })],
  });
  for (const host of both(b)) await a.space.ask({ do: 'sendFlows', host, port: 80, count: N });
  await b.space.arrived(80, N);
  await env.network.apply(a, { ...OPEN, defaultOut: 'drop' });
  await a.space.ask({ do: 'sendFlows', host: b.v4, port: 80, count: N });
  await env.settle(a.space, b);
  assert.deepEqual(b.space.arrivals(80), Array(N).fill(a.v4));
});

test('neighbours of one IPv6 network reach each other if both firewalls allow it', { skip }, async (t) => {
  const env = await Env.open(t);
  const [a, b] = [await env.guest(t, 22, OPEN), await env.guest(t, 23, CLOSED)];
  await listen(b.space, 80);
  await listen(a.space, 80);
  await a.space.ask({ do: 'sendFlows', host: b.v6, port: 80, count: N });
  await env.settle(a.space, b);
  assert.deepEqual(b.space.arrivals(80), []);
  const firewall = [entry({ protocol: 'tcp', ports: '80', cidrs: [`${a.v6}/128`] })];
  await env.network.apply(b, { ...CLOSED, firewall });
  const socket = await a.space.ask({ do: 'dial', host: b.v6, port: 80 });
  assert.equal(await a.space.ask({ do: 'echo', socket: socket as number, text: 'hello' }), 'hello');
  // The other direction, and through the gateway that the API reports, as in a manually configured guest.
  await b.space.ip(`route add ${GATEWAY[6]} dev eth0`, `route replace default via ${GATEWAY[6]} dev eth0`);
  const back = await b.space.ask({ do: 'dial', host: a.v6, port: 80 });
  assert.equal(await b.space.ask({ do: 'echo', socket: back as number, text: 'back' }), 'back');
  assert.deepEqual(b.space.arrivals(80), [a.v6]);
});

test('a private address leaves by the address of the host', { skip }, async (t) => {
  const env = await Env.open(t);
  const guest = await env.guest(t, 18, CLOSED, '100.64.0.18');
  await listen(env.internet, 443);
  const socket = await guest.space.ask({ do: 'dial', host: INTERNET[4], port: 443 });
  assert.equal(await guest.space.ask({ do: 'echo', socket: socket as number, text: 'x' }), 'x');
  assert.deepEqual(env.internet.arrivals(443), [HOST[4]]);
});
