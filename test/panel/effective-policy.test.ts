import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import {
  EVERYWHERE,
  hasAll,
  minus,
  networksOf,
  setOf,
} from '../../panel/src/pages/machines/network/addresses.ts';
import {
  changesBetween,
  effectivePolicy,
  type PolicyRule,
  TRAFFIC,
  type Traffic,
} from '../../panel/src/pages/machines/network/effective-policy.ts';
import { depth } from '../support/depth.ts';

const rule = (change: Partial<PolicyRule>): PolicyRule => ({
  id: 'fwr_a',
  direction: 'in',
  action: 'accept',
  protocol: 'tcp',
  ports: null,
  cidrs: ['0.0.0.0/0', '::/0'],
  priority: 100,
  enabled: true,
  status: 'active',
  created_at: '2026-01-01T00:00:00.000Z',
  ...change,
});

test('lists who can reach what, and which rules have no effect', () => {
  const rules = [
    rule({ id: 'ssh', ports: '22', cidrs: ['10.0.0.0/8'], priority: 10 }),
    rule({ id: 'web', ports: '80-443' }),
    rule({ id: 'https', ports: '443', priority: 200 }),
    rule({ id: 'off', ports: '25', enabled: false }),
    rule({ id: 'going', ports: '26', status: 'removing' }),
  ];
  const { openings, idle } = effectivePolicy(rules, 'in', 'drop');
  assert.deepEqual(
    openings.map(({ traffic, ports, peers }) => [traffic, ports, networksOf(peers).networks]),
    [
      ['tcp', { from: 22, to: 22 }, ['10.0.0.0/8']],
      ['tcp', { from: 80, to: 443 }, ['0.0.0.0/0', '::/0']],
    ],
  );
  assert.deepEqual([...idle], ['https']);
});

test('says what saving a rule opens and closes', () => {
  const before = effectivePolicy([rule({ id: 'web', ports: '80-443' })], 'in', 'drop').openings;
  const block = rule({ id: 'new', action: 'drop', ports: '100-200', cidrs: ['192.0.2.0/24'], priority: 1 });
  const after = effectivePolicy([rule({ id: 'web', ports: '80-443' }), block], 'in', 'drop').openings;
  const changes = changesBetween(before, after);
  assert.equal(changes.length, 1);
  assert.deepEqual(changes[0]!.ports, { from: 100, to: 200 });
  assert.deepEqual(networksOf(changes[0]!.closed).networks, ['192.0.2.0/24']);
  assert.deepEqual(networksOf(changes[0]!.opened).networks, []);
  assert.deepEqual(changesBetween(after, after), []);
});

test('a default that accepts leaves open what no rule takes', () => {
  const { openings } = effectivePolicy(
    [rule({ direction: 'out', action: 'drop', protocol: 'udp', ports: '53' })],
    'out',
    'accept',
  );
  const udp = openings.filter(({ traffic }) => traffic === 'udp').map(({ ports }) => ports);
  assert.deepEqual(udp, [
    { from: 1, to: 52 },
    { from: 54, to: 65_535 },
  ]);
  const icmp = openings.find(({ traffic }) => traffic === 'icmp')!;
  assert.ok(hasAll(4, icmp.peers));
  assert.deepEqual(icmp.peers[6], []);
});

test('writes networks as ipaddr.js does, and refuses invalid ones', () => {
  for (const text of ['2001:db8::/32', '::/0', '::1/128', '1:0:0:2::/64', 'fe80::1:0:0/96', '203.0.113.7/32'])
    assert.deepEqual(networksOf(setOf([text])!).networks, [text]);
  for (const text of [
    '1.2.3',
    '1.2.3.256/8',
    '1.2.3.4/33',
    '::/129',
    ':::/1',
    '1::2::3/64',
    'x',
    '',
    '1.2.3.4/',
  ])
    assert.equal(setOf([text]), undefined, text);
  const rest = minus(EVERYWHERE, setOf(['128.0.0.0/1', '::/1'])!);
  assert.deepEqual(networksOf(rest).networks, ['0.0.0.0/1', '8000::/1']);
});

/** Packets from a small set of values, so that rules often match. */
const packet = fc.record({
  traffic: fc.constantFrom(...TRAFFIC),
  port: fc.integer({ min: 1, max: 9 }),
  peer: fc.oneof(
    fc.integer({ min: 0, max: 15 }).map((n) => `10.0.0.${n}`),
    fc.integer({ min: 0, max: 15 }).map((n) => `2001:db8::${n.toString(16)}`),
  ),
});
const v4 = fc.tuple(fc.integer({ min: 0, max: 15 }), fc.integer({ min: 28, max: 32 }));
const cidr = fc.oneof(
  v4.map(([n, bits]) => `${ipaddr.IPv4.networkAddressFromCIDR(`10.0.0.${n}/${bits}`)}/${bits}`),
  v4.map(
    ([n, bits]) =>
      `${ipaddr.IPv6.networkAddressFromCIDR(`2001:db8::${n.toString(16)}/${bits + 96}`)}/${bits + 96}`,
  ),
  fc.constantFrom('0.0.0.0/0', '::/0'),
);
const anyRule = fc.record({
  action: fc.constantFrom('accept' as const, 'drop' as const),
  protocol: fc.constantFrom('tcp' as const, 'udp' as const, 'icmp' as const, 'any' as const),
  range: fc.option(fc.tuple(fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 9 }))),
  cidrs: fc.array(cidr, { minLength: 1, maxLength: 3 }),
  priority: fc.integer({ min: 0, max: 3 }),
  enabled: fc.boolean(),
});

function firstMatch(rules: PolicyRule[], traffic: Traffic, port: number, peer: string): string {
  const address = ipaddr.parse(peer);
  const [hit] = rules
    .filter((one) => one.enabled && (one.protocol === 'any' || one.protocol === traffic))
    .filter(({ ports }) => {
      if (!ports) return true;
      const [from, to = from] = ports.split('-').map(Number);
      return from! <= port && port <= to!;
    })
    .filter(({ cidrs }) =>
      cidrs.some((text) => {
        const [network, bits] = ipaddr.parseCIDR(text);
        return network.kind() === address.kind() && address.match(network, bits);
      }),
    )
    .sort((a, b) => a.priority - b.priority || a.created_at.localeCompare(b.created_at));
  return hit?.action ?? 'drop';
}

test('decides about every packet as a walk through the rules does', () => {
  fc.assert(
    fc.property(
      fc.array(anyRule, { maxLength: 6 }),
      fc.array(packet, { minLength: 30 }),
      (specs, packets) => {
        const rules = specs.map(({ range, ...spec }, i) => {
          const hasPorts = range && (spec.protocol === 'tcp' || spec.protocol === 'udp');
          const ports = hasPorts ? `${Math.min(...range)}-${Math.max(...range)}` : null;
          const created_at = `2026-01-01T00:00:0${i}.000Z`;
          const cidrs =
            spec.protocol === 'icmp' ? spec.cidrs.filter((text) => !text.includes(':')) : spec.cidrs;
          return rule({ ...spec, cidrs, ports, id: `fwr_${i}`, created_at });
        });
        const { openings } = effectivePolicy(rules, 'in', 'drop');
        for (const { traffic, port, peer } of packets) {
          if (traffic === (peer.includes(':') ? 'icmp' : 'icmpv6')) continue;
          const own = openings.filter(
            (opening) =>
              opening.traffic === traffic &&
              (opening.ports === null || (opening.ports.from <= port && port <= opening.ports.to)),
          );
          const outside = minus(setOf([peer])!, own[0]?.peers ?? { 4: [], 6: [] });
          const passes = outside[4].length + outside[6].length === 0;
          assert.equal(passes, firstMatch(rules, traffic, port, peer) === 'accept');
          assert.ok(own.length <= 1);
        }
      },
    ),
    { numRuns: depth(15, 60) },
  );
});
