import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CLOSED, Env, INTERNET, listen, OPEN, type TestGuest, whyNot } from './support/env.ts';
import { both, entry } from './support/rules.ts';

const skip = whyNot();
const N = 20;
const NEVER = new AbortController().signal;
/** The nftables unit does this at every restart. */
const FLUSH_RULESET = ['nft', 'flush', 'ruleset'];

async function chains(env: Env, table: string): Promise<string[]> {
  const json = await env.host.run('nft', '-j', 'list', 'chains');
  const found: { chain?: { family: string; table: string; name: string } }[] = JSON.parse(json).nftables;
  return found.flatMap(({ chain }) =>
    chain?.table === table ? [`${chain.family} ${chain.table} ${chain.name}`] : [],
  );
}

/**
 * Returns the active ruleset without counters and learned elements, sorted so that the order of creation does not
 * matter.
 */
async function inForce(env: Env): Promise<string> {
  const all = await env.host.run('nft', '-s', 'list', 'ruleset');
  return (
    all
      // The program that owns a table, which the kernel does not always report.
      .replaceAll(/ # progname .*/g, '')
      .replace(/set (discovery|connections|packets) \{.*?\n\t\}/gs, '')
      .split(/^(?=table )/m)
      .sort()
      .join('')
  );
}

/** Sends traffic that no rule allows: from outside, from the guest to forbidden targets, and from a spoofed address. */
async function trespass(env: Env, guest: TestGuest): Promise<void> {
  for (const host of both(guest)) await env.internet.ask({ do: 'sendFlows', host, port: 5000, count: N });
  for (const host of [INTERNET[4], INTERNET[6]])
    await guest.space.ask({ do: 'sendFlows', host, port: 5001, count: N });
  await guest.space.ask({ do: 'sendFlows', host: '198.51.100.2', port: 5002, count: N });
  await env.settleHost(guest);
}

test('whatever is lost or added, no packet passes unseen by the rules, and it is noticed', {
  skip,
}, async (t) => {
  const env = await Env.open(t);
  const firewall = [entry({ direction: 'out', action: 'drop', protocol: 'udp', ports: '5001' })];
  // With a speed limit, so that no chain is empty.
  const policy = { ...CLOSED, firewall, bandwidthBps: 1_000_000_000 };
  const guest = await env.guest(t, 40, policy);
  const guests = [{ guest, policy }];
  await listen(guest.space, 5000);
  await Promise.all([listen(env.internet, 5001), listen(env.host, 5002)]);
  await env.network.reassert(guests);
  const before = await inForce(env);
  const made = [...(await chains(env, 'vauban')), ...(await chains(env, 'vauban-gate'))];
  assert.ok(made.length > 14, made.join(', '));
  const acts = [
    ...made.map((chain) => ['nft', 'flush', 'chain', ...chain.split(' ')]),
    ...made.map((chain) => ['nft', 'insert', 'rule', ...chain.split(' '), 'accept']),
    ['nft', 'delete', 'table', 'inet', 'vauban'],
    ['nft', 'delete', 'table', 'arp', 'vauban'],
    ['nft', 'delete', 'table', 'inet', 'vauban-gate'],
    ['nft', 'delete', 'element', 'inet', 'vauban', 'cards', `{ ${guest.tap} . ${guest.mac} }`],
    FLUSH_RULESET,
  ];
  for (const act of acts) {
    const noticed = env.network.altered(NEVER);
    await env.host.run(...act);
    // Before anything has repaired it.
    await trespass(env, guest);
    assert.deepEqual(guest.space.arrivals(5000), [], act.join(' '));
    assert.deepEqual(env.internet.arrivals(5001), [], act.join(' '));
    assert.deepEqual(env.host.arrivals(5002), [], act.join(' '));
    assert.equal(await noticed, true, act.join(' '));
    await env.network.reassert(guests);
    assert.equal(await inForce(env), before, act.join(' '));
  }
  t.diagnostic(`${acts.length} alterations, ${acts.length * 5 * N} forbidden packets: none passed`);
  // The repaired ruleset still lets allowed traffic pass.
  await env.network.apply(guest, OPEN);
  await env.internet.ask({ do: 'sendFlows', host: guest.v4, port: 5000, count: N });
  await guest.space.arrived(5000, N);
});

test('disabling forwarding or removing a route is noticed; our own changes are not', {
  skip,
}, async (t) => {
  const env = await Env.open(t);
  const guest = await env.guest(t, 41, OPEN);
  const guests = [{ guest, policy: OPEN }];
  await listen(guest.space, 5000);
  await env.network.reassert(guests);
  const set = (name: string) => ['sh', '-c', `echo 0 > /proc/sys/net/${name}`];
  const acts = [
    set('ipv4/ip_forward'),
    set('ipv6/conf/all/forwarding'),
    set(`ipv4/conf/${guest.tap}/forwarding`),
    set(`ipv6/conf/${guest.tap}/forwarding`),
    set(`ipv4/conf/${guest.tap}/proxy_arp`),
    set(`ipv6/conf/${guest.tap}/proxy_ndp`),
    set('ipv4/conf/up0/forwarding'),
    set('ipv6/conf/up0/forwarding'),
    set('ipv6/conf/up0/proxy_ndp'),
    ['ip', 'route', 'del', guest.v4, 'dev', guest.tap],
    ['ip', '-6', 'route', 'del', guest.v6, 'dev', guest.tap],
  ];
  let arrived = 0;
  for (const act of acts) {
    const noticed = env.network.altered(NEVER);
    await env.host.run(...act);
    assert.equal(await noticed, true, act.join(' '));
    assert.deepEqual(await env.network.reassert(guests), []);
    for (const host of both(guest)) await env.internet.ask({ do: 'sendUdp', host, port: 5000, count: 1 });
    arrived += 2;
    await guest.space.arrived(5000, arrived);
  }

  const ended = new AbortController();
  const quiet = env.network.altered(ended.signal);
  await env.network.apply(guest, CLOSED);
  const other = await env.guest(t, 42, CLOSED);
  await env.network.reassert([...guests, { guest: other, policy: CLOSED }]);
  await env.network.detach(other.id);
  await env.host.run('nft', 'add', 'table', 'inet', 'somebody');
  // Long enough for the notifications of the first changes to arrive.
  for (let round = 0; round < N; round++) await env.network.apply(guest, CLOSED);
  ended.abort();
  assert.equal(await quiet, false);
});
