import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  type FirewallEntry,
  type NetworkPolicy,
  PolicyRefusedError,
} from '../../../server/compute/driver.ts';
import { type AclRule, compileFirewall } from '../../../server/compute/incus/firewall.ts';
import { intervalOf, toNumber } from '../../../server/compute/incus/intervals.ts';
import { depth } from '../../support/depth.ts';

interface Packet {
  direction: 'in' | 'out';
  peer: string;
  family: 4 | 6;
  protocol: 'tcp' | 'udp' | 'icmp' | 'icmpv6' | 'sctp';
  port: number;
}

/** Addresses close to each other and to the bounds of the networks below. */
const ADDRESSES = [
  '10.0.0.0',
  '10.0.0.1',
  '10.0.0.128',
  '10.0.1.7',
  '255.255.255.255',
  '0.0.0.0',
  '2001:db8::',
  '2001:db8::1',
  '::',
  'ffff::',
];
const CIDRS = [
  '0.0.0.0/0',
  '10.0.0.0/24',
  '10.0.0.0/25',
  '10.0.0.1/32',
  '10.0.0.0/8',
  '::/0',
  '2001:db8::/32',
  '2001:db8::1/128',
];
const PORTS = [null, '22', '21-23', '23-80', '0-65535', '65535', '25'];

const entry: fc.Arbitrary<FirewallEntry> = fc
  .record({
    direction: fc.constantFrom('in' as const, 'out' as const),
    action: fc.constantFrom('accept' as const, 'drop' as const),
    protocol: fc.constantFrom(
      'tcp' as const,
      'udp' as const,
      'icmp' as const,
      'icmpv6' as const,
      'any' as const,
    ),
    ports: fc.constantFrom(...PORTS),
    cidrs: fc.subarray(CIDRS, { minLength: 1 }),
  })
  .map((rule) => (rule.protocol === 'tcp' || rule.protocol === 'udp' ? rule : { ...rule, ports: null }));

const policy: fc.Arbitrary<NetworkPolicy> = fc.record({
  defaultIn: fc.constantFrom('accept' as const, 'drop' as const),
  defaultOut: fc.constantFrom('accept' as const, 'drop' as const),
  firewall: fc.array(entry, { maxLength: 7 }),
  portForwards: fc.constant([]),
  smtpOpen: fc.boolean(),
});

const packet: fc.Arbitrary<Packet> = fc
  .record({
    direction: fc.constantFrom('in' as const, 'out' as const),
    peer: fc.constantFrom(...ADDRESSES),
    protocol: fc.constantFrom(
      'tcp' as const,
      'udp' as const,
      'icmp' as const,
      'icmpv6' as const,
      'sctp' as const,
    ),
    port: fc.constantFrom(0, 21, 22, 23, 24, 25, 80, 81, 65_535),
  })
  .map((fields) => ({ ...fields, family: fields.peer.includes(':') ? 6 : 4 }));

function isIn(cidr: string, { peer, family }: Packet): boolean {
  const { family: own, range } = intervalOf(cidr);
  return own === family && toNumber(peer) >= range[0] && toNumber(peer) <= range[1];
}

const isBetween = (port: number, text: string) => {
  const [from, to = from] = text.split('-').map(Number);
  return port >= from! && port <= to!;
};

const hasPorts = ({ protocol }: Packet) => protocol === 'tcp' || protocol === 'udp';

/** The meaning of a policy: the first matching rule decides. */
function passesPolicy({ firewall, defaultIn, defaultOut, smtpOpen }: NetworkPolicy, sent: Packet): boolean {
  if (!smtpOpen && sent.direction === 'out' && sent.protocol === 'tcp' && sent.port === 25) return false;
  const first = firewall.find(
    ({ direction, protocol, ports, cidrs }) =>
      direction === sent.direction &&
      cidrs.some((cidr) => isIn(cidr, sent)) &&
      (protocol === 'any' ||
        (protocol === sent.protocol &&
          (protocol !== 'icmp' || sent.family === 4) &&
          (protocol !== 'icmpv6' || sent.family === 6))) &&
      (ports === null || (hasPorts(sent) && isBetween(sent.port, ports))),
  );
  return (first?.action ?? (sent.direction === 'in' ? defaultIn : defaultOut)) === 'accept';
}

/** The meaning of an Incus ACL: any matching drop wins, then any allow; the rest is dropped. */
function passesAcl(rules: AclRule[], sent: Packet): boolean {
  const protocols = { tcp: 'tcp', udp: 'udp', icmp: 'icmp4', icmpv6: 'icmp6', sctp: '' };
  const matching = rules.filter(({ source, destination, protocol, destination_port: ports }) => {
    const peers = (source ?? destination)!.split(',');
    const isPeer = peers.some((range) => {
      if (range.includes('/')) return isIn(range, sent);
      const [from, to] = range.split('-') as [string, string];
      if (from.includes(':') !== (sent.family === 6)) return false;
      return toNumber(sent.peer) >= toNumber(from) && toNumber(sent.peer) <= toNumber(to);
    });
    return (
      isPeer &&
      (protocol === undefined || protocol === protocols[sent.protocol]) &&
      (ports === undefined || ports.split(',').some((range) => isBetween(sent.port, range)))
    );
  });
  return matching.length > 0 && matching.every(({ action }) => action === 'allow');
}

test('an ACL passes exactly the traffic of the first matching rules', () => {
  fc.assert(
    fc.property(policy, fc.array(packet, { minLength: 50, maxLength: 50 }), (rules, packets) => {
      const { ingress, egress } = compileFirewall(rules);
      for (const sent of packets) {
        // Incus cannot name the ICMP of the other address family.
        if (sent.protocol === 'icmp' && sent.family === 6) continue;
        if (sent.protocol === 'icmpv6' && sent.family === 4) continue;
        const acl = sent.direction === 'in' ? ingress : egress;
        assert.equal(passesAcl(acl, sent), passesPolicy(rules, sent), JSON.stringify(sent));
      }
    }),
    { numRuns: depth(200, 2_000) },
  );
});

test('a rule that an ACL cannot express is refused', () => {
  const closed = { defaultIn: 'drop', defaultOut: 'accept', portForwards: [] } as const;
  const rule: Omit<FirewallEntry, 'protocol'> = {
    direction: 'in',
    action: 'accept',
    ports: null,
    cidrs: ['0.0.0.0/0'],
  };
  for (const protocol of ['esp', 'gre'] as const) {
    const firewall = [{ ...rule, protocol }];
    assert.throws(() => compileFirewall({ ...closed, portForwards: [], firewall }), PolicyRefusedError);
  }
  const cidrs = Array.from({ length: 5_000 }, (_, index) => `10.${index >> 8}.${index & 255}.1/32`);
  const many = [{ ...rule, protocol: 'tcp' as const, cidrs }];
  assert.throws(() => compileFirewall({ ...closed, portForwards: [], firewall: many }), PolicyRefusedError);
});
