import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { type Match, requireMatch } from '../../server/domain/network/firewall-rule.ts';
import { formatPorts, parsePorts } from '../../server/domain/network/ports.ts';
import { ApiError, type FieldProblem } from '../../server/platform/errors.ts';

const ANYWHERE = ['0.0.0.0/0', '::/0'];

function problemsOf(match: Match): string[] {
  try {
    requireMatch(match);
    return [];
  } catch (error) {
    assert.ok(error instanceof ApiError && error.code === 'validation_failed');
    const fields = error.details!.fields as FieldProblem[];
    return fields.map(({ field, code }) => `${field} ${code}`);
  }
}

test('ports are read strictly', () => {
  assert.deepEqual(parsePorts('443'), { from: 443, to: 443 });
  assert.deepEqual(parsePorts('1-65535'), { from: 1, to: 65_535 });
  const wrong = [
    '',
    '0',
    '65536',
    '99999',
    '080',
    '10-9',
    '1-65536',
    '0-5',
    '1-',
    '-1',
    ' 1',
    '1 - 2',
    '1,2',
    '٣',
  ];
  for (const text of wrong) assert.equal(parsePorts(text), undefined, JSON.stringify(text));
});

test('ports that were read are written so that they read the same', () => {
  const port = fc.integer({ min: 1, max: 65_535 });
  fc.assert(
    fc.property(port, port, (a, b) => {
      const range = { from: Math.min(a, b), to: Math.max(a, b) };
      assert.deepEqual(parsePorts(formatPorts(range)), range);
      assert.deepEqual(parsePorts(`${range.from}-${range.to}`), range);
    }),
  );
});

test('one meaning has one spelling', () => {
  const match = requireMatch({
    protocol: 'tcp',
    ports: '443-443',
    cidrs: ['2001:DB8:0:0::/32', '10.0.0.0/8', '::ffff:0:0/96'],
  });
  assert.equal(match.ports, '443');
  assert.deepEqual(match.cidrs, ['2001:db8::/32', '10.0.0.0/8', '0.0.0.0/0']);
});

test('only tcp and udp have ports, and need none', () => {
  for (const protocol of ['tcp', 'udp'] as const) {
    assert.deepEqual(problemsOf({ protocol, ports: '1024-5000', cidrs: ANYWHERE }), []);
    assert.deepEqual(problemsOf({ protocol, ports: null, cidrs: ANYWHERE }), []);
    assert.deepEqual(problemsOf({ protocol, ports: '5000-1024', cidrs: ANYWHERE }), ['ports invalid_format']);
  }
  for (const protocol of ['esp', 'gre', 'any'] as const) {
    assert.deepEqual(problemsOf({ protocol, ports: null, cidrs: ANYWHERE }), []);
    assert.deepEqual(problemsOf({ protocol, ports: '53', cidrs: ANYWHERE }), ['ports conflict']);
  }
});

test('a network is an address, or a CIDR without host bits', () => {
  const problems = (cidr: string) => problemsOf({ protocol: 'any', ports: null, cidrs: [cidr] });
  for (const cidr of [
    '10.0.0.0/8',
    '10.1.2.3/32',
    '0.0.0.0/0',
    '::/0',
    '2001:db8::1/128',
    'fe80::/10',
    '10.0.0.0',
  ]) {
    assert.deepEqual(problems(cidr), [], cidr);
  }
  for (const cidr of ['10.0.0.1/8', '2001:db8::1/64', '255.255.255.255/31']) {
    assert.deepEqual(problems(cidr), ['cidrs.0 invalid_format'], cidr);
  }
  for (const cidr of [
    '10.0.0.0/33',
    '10.0/8',
    '010.0.0.0/8',
    '10.0.0.0/08',
    '::/129',
    'fe80::%eth0/64',
    '',
  ]) {
    assert.deepEqual(problems(cidr), ['cidrs.0 invalid_format'], cidr);
  }
});

test('icmp is of IPv4 and icmpv6 of IPv6', () => {
  assert.deepEqual(problemsOf({ protocol: 'icmp', ports: null, cidrs: ANYWHERE }), ['cidrs.1 conflict']);
  assert.deepEqual(problemsOf({ protocol: 'icmpv6', ports: null, cidrs: ANYWHERE }), ['cidrs.0 conflict']);
});

test('every problem is named, duplicates in another spelling too', () => {
  const cidrs = ['10.0.0.0/8', 'nowhere', '2001:db8::/32', '2001:0DB8::/32', '10.0.0.0/8'];
  assert.deepEqual(problemsOf({ protocol: 'any', ports: '1', cidrs }), [
    'ports conflict',
    'cidrs.1 invalid_format',
    'cidrs.3 duplicate',
    'cidrs.4 duplicate',
  ]);
});
