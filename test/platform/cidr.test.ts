import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  addressMatcher,
  clientNetwork,
  normalizeIp,
  parseCidr,
  parseNetwork,
} from '../../server/platform/cidr.ts';

test('a CIDR is read with its family and whether it has host bits', () => {
  const read: [string, ReturnType<typeof parseCidr>][] = [
    ['10.0.0.0/8', { address: '10.0.0.0', prefix: 8, family: 4, hasHostBits: false }],
    ['10.0.0.1/8', { address: '10.0.0.1', prefix: 8, family: 4, hasHostBits: true }],
    ['203.0.113.7/32', { address: '203.0.113.7', prefix: 32, family: 4, hasHostBits: false }],
    ['0.0.0.0/0', { address: '0.0.0.0', prefix: 0, family: 4, hasHostBits: false }],
    ['2001:db8::/32', { address: '2001:db8::', prefix: 32, family: 6, hasHostBits: false }],
    ['2001:db8::1/64', { address: '2001:db8::1', prefix: 64, family: 6, hasHostBits: true }],
    ['::/0', { address: '::', prefix: 0, family: 6, hasHostBits: false }],
  ];
  for (const [text, expected] of read) assert.deepEqual(parseCidr(text), expected, text);
});

test('any text that two readers could understand differently is no CIDR', () => {
  const refused =
    '10.0.0.0 10.0.0.0/ /8 10.0.0.0/33 10.0.0.0/-1 10.0.0.0/08 10.0.0.0/8.0 10.0.0.0/8/8 10/8 010.0.0.0/8 10.0.0/24 2001:db8::/129 fe80::1%eth0/64 localhost/8';
  for (const text of ['', ' 10.0.0.0/8', '10.0.0.0/8 ', ...refused.split(' ')]) {
    assert.equal(parseCidr(text), undefined, JSON.stringify(text));
  }
});

test('a matcher matches only the networks and single addresses of its list', () => {
  const matches = addressMatcher(['10.0.0.0/8', '203.0.113.7', '2001:db8:1::/48', '2001:db8:2::1']);
  for (const ip of ['10.255.255.255', '203.0.113.7', '2001:db8:1:ffff::1', '2001:db8:2::1']) {
    assert.ok(matches(ip), ip);
  }
  for (const ip of ['11.0.0.0', '203.0.113.8', '2001:db8:2::2', '::1', 'nonsense'])
    assert.ok(!matches(ip), ip);
  assert.equal(addressMatcher([])('10.0.0.1'), false);
  assert.throws(() => addressMatcher(['10.0.0.0/99']), /not a CIDR/);
});

test('a network of one family contains no address of the other', () => {
  assert.ok(!addressMatcher(['::/0'])('203.0.113.7'));
  assert.ok(!addressMatcher(['0.0.0.0/0'])('2001:db8::1'));
  const mapped = addressMatcher(['::ffff:192.0.2.0/120']);
  assert.deepEqual(
    ['192.0.2.9', '::ffff:192.0.2.9', '::ffff:c000:209', '192.0.3.9', '::192.0.2.9'].map(mapped),
    [...[true, true, true, false, false]],
  );
});

test('a network is read however it is written, and an IPv4 address in IPv6 notation is one of IPv4', () => {
  for (const [text, network] of [
    ['192.0.2.7', '192.0.2.7/32'],
    ['2001:DB8::1', '2001:db8::1/128'],
    ['::ffff:192.0.2.0/120', '192.0.2.0/24'],
    ['::ffff:c000:200/120', '192.0.2.0/24'],
    ['::ffff:0:0/96', '0.0.0.0/0'],
    ['::/0', '::/0'],
    ['::102:304', '::102:304/128'],
  ] as const)
    assert.equal(parseNetwork(text)?.text, network, text);
  for (const text of ['', 'host', '::1.2.3.4', '::0.0.0.0/96', 'fe80::1%eth0', '192.0.2.7/33'])
    assert.equal(parseNetwork(text), undefined, text);
  for (const text of ['192.0.2.7/24', '::ffff:192.0.2.7/120', '::ffff:0:0/95'])
    assert.equal(parseNetwork(text)?.hasHostBits, true, text);
});

test('a client is counted as its IPv4 address or its IPv6 /64', () => {
  assert.equal(normalizeIp('::ffff:203.0.113.7'), '203.0.113.7');
  assert.equal(normalizeIp('2001:db8::1'), '2001:db8::1');
  assert.equal(clientNetwork('203.0.113.7'), '203.0.113.7');
  assert.equal(clientNetwork('2001:db8:1:2:3:4:5:6'), clientNetwork('2001:0DB8:1:2::1'));
  assert.notEqual(clientNetwork('2001:db8:1:2::1'), clientNetwork('2001:db8:1:3::1'));
  assert.equal(clientNetwork('fe80::1%eth0'), clientNetwork('fe80::2'));
});
