import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocks, limits } from '../../server/edge/contract-harness.ts';
import type { EdgeMatch, EdgeRule } from '../../server/edge/driver.ts';
import { chainOf, limitOf, rulesOf } from '../../server/edge/nftables/rules.ts';

const OBJECTS = { number: 7, sources: 'tgt/rul/sources-1', limit: 'l' };
const DROP = 'meta mark set 7 meta mark @dropped drop';
const lines = (rule: EdgeRule, family: 4 | 6 = 4) => rulesOf(rule, family, OBJECTS);
const matching = (match: Partial<EdgeMatch>, family: 4 | 6 = 4) =>
  lines(blocks('rul', match), family).map((line) => line.replace(` ${DROP}`, ''));

test('a rule that takes everything has no condition', () => {
  assert.deepEqual(lines(blocks('rul', {})), [DROP]);
});

test('each part of a match is a condition', () => {
  assert.deepEqual(matching({ protocol: 'gre' }), ['meta l4proto 47']);
  assert.deepEqual(matching({ protocol: 132 }), ['meta l4proto 132']);
  assert.deepEqual(matching({ source: '203.0.113.0/24' }), ['ip saddr 203.0.113.0/24']);
  assert.deepEqual(matching({ source: '2001:DB8:0::/48' }, 6), ['ip6 saddr 2001:db8::/48']);
  assert.deepEqual(matching({ packetLength: { min: 541, max: 65_535 } }), ['ip length 541-65535']);
  assert.deepEqual(matching({ fragments: 'only' }), ['ip frag-off & 0x3fff != 0']);
  assert.deepEqual(matching({ fragments: 'none' }, 6), ['exthdr frag missing']);
});

test('ports are ranges that do not touch, of whole packets and of first fragments', () => {
  const ports = { sourcePorts: ['53', '50-60', '61', '123', '60-60'] };
  assert.deepEqual(matching(ports), [
    'th sport { 50-61, 123 } meta l4proto { 6, 17 } @nh,48,16 & 0x1fff == 0',
  ]);
  assert.deepEqual(matching({ protocol: 'udp', destinationPorts: ['53'] }, 6), [
    'th dport { 53 } meta l4proto 17 exthdr frag missing',
    'th dport { 53 } meta l4proto 17 frag frag-off 0',
  ]);
});

test('flags are those that are set of those that are looked at', () => {
  const tcpFlags = { set: ['syn' as const], unset: ['ack' as const] };
  assert.deepEqual(matching({ protocol: 'tcp', tcpFlags }), [
    'meta l4proto 6 tcp flags & 0x12 == 0x2 @nh,48,16 & 0x1fff == 0',
  ]);
});

test('lengths are of the whole packet, which IPv6 does not write down', () => {
  assert.deepEqual(matching({ packetLength: { min: 0, max: 100 } }, 6), ['ip6 length 0-60']);
  assert.deepEqual(matching({ packetLength: { min: 40, max: 40 } }, 6), ['ip6 length 0']);
  assert.deepEqual(matching({ packetLength: { min: 0, max: 39 } }, 6), []);
});

test('a match of impossible packets has no rule', () => {
  assert.deepEqual(matching({ source: '2001:db8::/32' }), []);
  assert.deepEqual(matching({ protocol: 'icmp', sourcePorts: ['53'] }), []);
  assert.deepEqual(matching({ protocol: 'udp', tcpFlags: { set: ['syn'], unset: [] } }), []);
  assert.deepEqual(matching({ tcpFlags: { set: ['syn'], unset: ['syn'] } }), []);
});

test('traffic passed by a limit is checked against no other rule', () => {
  assert.deepEqual(lines(limits('rul', { protocol: 'udp' }, 1_000)), [
    `meta l4proto 17 limit name "l" ${DROP}`,
    'meta l4proto 17 accept',
  ]);
  assert.equal(limitOf({ unit: 'pps', value: 1_000 }), 'rate over 1000/second burst 100 packets');
  assert.equal(limitOf({ unit: 'pps', value: 1 }), 'rate over 1/second burst 5 packets');
  assert.equal(limitOf({ unit: 'bps', value: 8_001 }), 'rate over 1001 bytes/second burst 65536 bytes');
  assert.equal(
    limitOf({ unit: 'bps', value: 1e13 }),
    'rate over 16250000000 bytes/second burst 1625000000 bytes',
  );
});

test('only networks and ports become text', () => {
  assert.throws(() => matching({ source: 'localhost/8' }), /not a network/);
  assert.throws(() => matching({ protocol: 'udp', sourcePorts: ['53 } drop; {'] }), /not a port/);
});

const ofPorts = (id: string, ports: Partial<EdgeMatch>): EdgeRule =>
  blocks(id, { protocol: 'udp', ...ports });
const numbers: Record<string, number> = { rul_1: 11, rul_2: 12, rul_3: 13 };
const textsOf = (rules: EdgeRule[], family: 4 | 6 = 4) =>
  chainOf(rules, family, ({ id }) => ({ ...OBJECTS, number: numbers[id]! })).map(({ text }) => text);

test('neighbours that differ only in ports are one lookup, and each has its own counter', () => {
  const rules = [
    ofPorts('rul_1', { sourcePorts: ['53', '54'] }),
    ofPorts('rul_2', { sourcePorts: ['123'] }),
    ofPorts('rul_3', { sourcePorts: ['1000-2000'] }),
  ];
  const lookup =
    'meta mark set th sport map { 53-54 : 11, 123 : 12, 1000-2000 : 13 } meta mark @dropped drop';
  assert.deepEqual(textsOf(rules), [`meta l4proto 17 @nh,48,16 & 0x1fff == 0 ${lookup}`]);
  assert.deepEqual(textsOf(rules, 6), [
    `meta l4proto 17 exthdr frag missing ${lookup}`,
    `meta l4proto 17 frag frag-off 0 ${lookup}`,
  ]);
  const print = (all: EdgeRule[]) => chainOf(all, 4, () => OBJECTS).map((one) => one.print);
  assert.notDeepEqual(print(rules), print([rules[1]!, rules[0]!, rules[2]!]));
  assert.notDeepEqual(
    print(rules),
    print([rules[0]!, ofPorts('rul_2', { sourcePorts: ['124'] }), rules[2]!]),
  );
});

test('rules that could both take a packet, or differ in more than ports, are asked one by one', () => {
  const first = ofPorts('rul_1', { sourcePorts: ['50-60'] });
  const seconds = [
    ofPorts('rul_2', { sourcePorts: ['53'] }),
    ofPorts('rul_2', { destinationPorts: ['99'] }),
    ofPorts('rul_2', { sourcePorts: ['99'], destinationPorts: ['99'] }),
    ofPorts('rul_2', { sourcePorts: ['99'], fragments: 'none' }),
    ofPorts('rul_2', {}),
    limits('rul_2', { protocol: 'udp', sourcePorts: ['99'] }, 1_000),
  ];
  for (const second of seconds) {
    const [one, ...more] = textsOf([first, second]);
    assert.match(one!, /^th sport \{ 50-60 \} .* meta mark set 11 /);
    assert.ok(more.length > 0 && !more.join().includes(' map '), more.join());
  }
});
