import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NetworkPolicy } from '../../../server/compute/driver.ts';
import { CLOSED, Env, FORWARD_ADDRESS, INTERNET, listen, OPEN, whyNot } from './support/env.ts';
import { both, entry } from './support/rules.ts';

const skip = whyNot();
const N = 50;

test('a closed guest gets none of N packets, an opened one all, and the counters know', {
  skip,
}, async (t) => {
  const env = await Env.open(t);
  const guest = await env.guest(t, 10, CLOSED);
  await listen(guest.space, 5000);
  for (const host of both(guest)) await env.internet.ask({ do: 'sendFlows', host, port: 5000, count: N });
  await env.settle(env.internet, guest);
  assert.deepEqual(guest.space.arrivals(5000), []);
  const none = {
    inBytes: 0,
    inPackets: 0,
    outBytes: 0,
    outPackets: 0,
    refused: { connections: 0, packets: 0 },
    connected: true,
  };
  assert.deepEqual((await env.network.counters([guest.id])).get(guest.id), none);

  const open = { ...CLOSED, firewall: [entry({ protocol: 'udp', ports: '4000-6000' })] };
  await env.network.apply(guest, open);
  for (const host of both(guest)) await env.internet.ask({ do: 'sendFlows', host, port: 5000, count: N });
  await guest.space.arrived(5000, 2 * N);
  await env.settle(env.internet, guest);
  const arrivals = guest.space.arrivals(5000);
  assert.equal(arrivals.filter((from) => from === INTERNET[4]).length, N);
  assert.equal(arrivals.filter((from) => from === INTERNET[6]).length, N);
  // One byte of data: 29 bytes in IPv4, 49 in IPv6. Traffic from the host itself to the guest does not count.
  const inBytes = N * (29 + 49);
  assert.deepEqual((await env.network.counters([guest.id])).get(guest.id), {
    ...none,
    inBytes,
    inPackets: 2 * N,
  });

  await listen(env.internet, 5001);
  for (const host of [INTERNET[4], INTERNET[6]]) {
    await guest.space.ask({ do: 'sendFlows', host, port: 5001, count: N });
  }
  await env.internet.arrived(5001, 2 * N);
  const counted = (await env.network.counters([guest.id])).get(guest.id);
  const outgoing = { outBytes: inBytes, outPackets: 2 * N };
  assert.deepEqual(counted, { ...none, inBytes, inPackets: 2 * N, ...outgoing });
});

test('the first match decides, replies pass, and outgoing traffic has its own policy', {
  skip,
}, async (t) => {
  const env = await Env.open(t);
  const firewall = [
    entry({ action: 'drop', protocol: 'tcp', ports: '81', cidrs: [`${INTERNET[4]}/32`] }),
    entry({ protocol: 'tcp', ports: '80-90' }),
    entry({ direction: 'out', protocol: 'tcp', ports: '443' }),
  ];
  const guest = await env.guest(t, 11, {
    defaultIn: 'drop',
    defaultOut: 'drop',
    firewall,
    portForwards: [],
  });
  await listen(guest.space, 80, 81, 99);
  await listen(env.internet, 443, 444);
  for (const host of both(guest)) {
    const opened = await env.internet.ask({ do: 'dial', host, port: 80 });
    // The echo is a reply, which is allowed even for a guest that may send nothing.
    assert.equal(await env.internet.ask({ do: 'echo', socket: opened as number, text: 'hello' }), 'hello');
  }
  const refused = [
    await env.internet.ask({ do: 'dial', host: guest.v4, port: 81 }),
    await env.internet.ask({ do: 'dial', host: guest.v4, port: 99 }),
    await env.internet.ask({ do: 'dial', host: guest.v6, port: 99 }),
  ];
  const passing = await env.internet.ask({ do: 'dial', host: guest.v6, port: 81 });
  assert.equal(await env.internet.ask({ do: 'echo', socket: passing as number, text: 'x' }), 'x');
  await env.settle(env.internet, guest);
  for (const socket of refused)
    assert.equal(await env.internet.ask({ do: 'isOpen', socket: socket as number }), false);
  assert.deepEqual(guest.space.arrivals(81), [INTERNET[6]]);
  assert.deepEqual(guest.space.arrivals(99), []);

  for (const host of [INTERNET[4], INTERNET[6]]) {
    const out = await guest.space.ask({ do: 'dial', host, port: 443 });
    assert.equal(await guest.space.ask({ do: 'echo', socket: out as number, text: 'out' }), 'out');
    await guest.space.ask({ do: 'dial', host, port: 444 });
    await guest.space.ask({ do: 'sendFlows', host, port: 444, count: N });
  }
  await env.settle(guest.space, guest);
  assert.deepEqual(env.internet.arrivals(444), []);
});

test('a forward leads to its guest, for its protocols, from outside, from guests and from itself', {
  skip,
}, async (t) => {
  const env = await Env.open(t);
  const guest = await env.guest(t, 12, OPEN);
  const other = await env.guest(t, 13, OPEN);
  await listen(guest.space, 22, 53);
  const forward = { publicIp: FORWARD_ADDRESS, internalIp: guest.v4 };
  const portForwards = [
    { ...forward, protocol: 'tcp' as const, externalPort: 2211, internalPort: 22 },
    { ...forward, protocol: 'tcp_udp' as const, externalPort: 5353, internalPort: 53 },
  ];
  await env.network.apply(guest, { ...OPEN, portForwards });
  for (const from of [env.internet, other.space, guest.space, env.host]) {
    const socket = await from.ask({ do: 'dial', host: FORWARD_ADDRESS, port: 2211 });
    assert.equal(await from.ask({ do: 'echo', socket: socket as number, text: 'ssh' }), 'ssh');
  }
  // The guests' processes report arrivals asynchronously, maybe after their callers have received a reply.
  await guest.space.arrived(22, 4);
  assert.deepEqual(guest.space.arrivals(22).slice(0, 2), [INTERNET[4], other.v4]);
  await env.internet.ask({ do: 'sendUdp', host: FORWARD_ADDRESS, port: 2211, count: N });
  await env.internet.ask({ do: 'sendUdp', host: FORWARD_ADDRESS, port: 5353, count: N });
  await guest.space.arrived(53, N);
  assert.equal(guest.space.arrivals(22).length, 4);

  // The firewall sees the guest's internal port, and a forward that moved to another guest leads there.
  const ssh = [entry({ protocol: 'tcp', ports: '22' })];
  await listen(other.space, 22);
  const moved = [{ ...portForwards[0]!, internalIp: other.v4 }];
  await env.network.apply(other, { ...CLOSED, firewall: ssh, portForwards: moved });
  const socket = await env.internet.ask({ do: 'dial', host: FORWARD_ADDRESS, port: 2211 });
  assert.equal(await env.internet.ask({ do: 'echo', socket: socket as number, text: 'moved' }), 'moved');
  await other.space.arrived(22, 1);
  assert.deepEqual(other.space.arrivals(22), [INTERNET[4]]);
});

test('under traffic no packet passes between old rules and new ones', { skip }, async (t) => {
  const env = await Env.open(t);
  const guest = await env.guest(t, 19, CLOSED);
  await listen(guest.space, 5000);
  const policies: NetworkPolicy[] = [
    {
      ...CLOSED,
      firewall: [entry({ action: 'drop', protocol: 'udp', ports: '5000' }), entry({ ports: null })],
    },
    { ...OPEN, firewall: [entry({ action: 'drop', protocol: 'any' })] },
    CLOSED,
  ];
  let sending = true;
  let sent = 0;
  const traffic = (async () => {
    for (; sending; sent += 100) {
      await env.internet.ask({ do: 'sendFlows', host: guest.v4, port: 5000, count: 100 });
    }
  })();
  for (let round = 0; round < 12; round++) {
    await env.network.apply(guest, policies[round % policies.length]!);
    if (round % 4 === 3) await env.network.reassert([{ guest, policy: policies[round % policies.length]! }]);
  }
  sending = false;
  await traffic;
  await env.settle(env.internet, guest);
  t.diagnostic(`${sent} packets sent over 15 changes`);
  assert.ok(sent > 0);
  assert.deepEqual(guest.space.arrivals(5000), []);
});

test('deleted rules return, counters continue, and a detached guest leaves nothing', {
  skip,
}, async (t) => {
  const env = await Env.open(t);
  const before = await env.host.run('ip', 'neigh', 'show', 'proxy');
  const portForwards = [
    {
      protocol: 'tcp_udp' as const,
      publicIp: FORWARD_ADDRESS,
      externalPort: 2000,
      internalIp: '203.0.113.20',
      internalPort: 22,
    },
  ];
  const policy = { ...CLOSED, portForwards, firewall: [entry({ protocol: 'udp', ports: '5000' })] };
  const [guest, other] = [await env.guest(t, 20, policy), await env.guest(t, 21, CLOSED)];
  const guests = [
    { guest, policy },
    { guest: other, policy: CLOSED },
  ];
  await Promise.all([listen(guest.space, 5000, 5001, 22), listen(other.space, 5000)]);
  await env.internet.ask({ do: 'sendFlows', host: guest.v4, port: 5000, count: N });
  await guest.space.arrived(5000, N);
  await env.network.reassert(guests);
  assert.equal((await env.network.counters([guest.id])).get(guest.id)?.inPackets, N);
  assert.deepEqual([...(await env.network.counters(['unknown']))], []);

  await env.host.run('nft', 'flush', 'ruleset');
  await env.host.run('ip', 'route', 'flush', 'dev', guest.tap);
  await env.network.reassert(guests);
  const connected = async () => (await env.network.counters([guest.id])).get(guest.id)?.connected;
  assert.equal(await connected(), true);
  await env.host.run('ip', 'route', 'del', guest.v4, 'dev', guest.tap);
  assert.equal(await connected(), false);
  assert.deepEqual(await env.network.reassert(guests), []);
  assert.equal(await connected(), true);
  await env.internet.ask({ do: 'sendFlows', host: guest.v4, port: 5001, count: N });
  await env.internet.ask({ do: 'sendFlows', host: guest.v4, port: 5000, count: N });
  await guest.space.arrived(5000, 2 * N);
  assert.deepEqual(guest.space.arrivals(5001), []);

  // An update of one guest finds the table missing too: it creates the table and blocks all guests that it does not
  // know.
  await env.host.run('nft', 'flush', 'ruleset');
  await env.network.apply(guest, policy);
  await env.internet.ask({ do: 'sendFlows', host: other.v4, port: 5000, count: N });
  const socket = await env.internet.ask({ do: 'dial', host: FORWARD_ADDRESS, port: 2000 });
  await env.network.apply(guest, { ...policy, firewall: [entry({ protocol: 'tcp', ports: '22' })] });
  assert.equal(await env.internet.ask({ do: 'echo', socket: socket as number, text: 'x' }), 'x');
  await env.settle(env.internet, other);
  assert.deepEqual(other.space.arrivals(5000), []);

  await env.network.reassert(guests);
  await env.host.run('ip', 'link', 'del', other.tap);
  assert.equal((await env.network.counters([other.id])).get(other.id)?.connected, false);
  assert.deepEqual(await env.network.reassert(guests), [other.id]);
  for (const { id } of [guest, other, guest, { id: 'unknown' }]) await env.network.detach(id);
  // The kernel adds a guest's neighbour discoveries automatically and forgets them within a minute.
  const left = (await env.host.run('nft', 'list', 'ruleset')).replace(/set discovery \{.*?\n\t\}/s, '');
  assert.ok(left.includes('chain guard') && !left.includes('set discovery'));
  for (const { tap, mac, v4 } of [guest, other]) {
    for (const word of [tap, mac, v4]) assert.ok(!left.includes(word), `${word} is left`);
  }
  const links = await env.host.run('ip', 'link', 'show');
  assert.ok(!links.includes(guest.tap) && !links.includes(other.tap));
  assert.equal(await env.host.run('ip', 'neigh', 'show', 'proxy'), before);
});
