import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { blocks, limits } from '../../server/edge/contract-harness.ts';
import type { EdgeMatch, EdgeRule, EdgeTarget } from '../../server/edge/driver.ts';
import { componentsOf, nlriOf, order } from '../../server/edge/flowspec/components.ts';
import { planOf } from '../../server/edge/flowspec/plan.ts';
import { blackholeRoute, destinationOf, ruleRoute } from '../../server/edge/flowspec/route.ts';
import { depth } from '../support/depth.ts';
import { anyPacket, anyRule, reference } from './support/oracle.ts';

const FOUR = { id: 'tgt_4', ip: '203.0.113.9', family: 4 } as const;
const SIX = { id: 'tgt_6', ip: '2001:db8:b::9', family: 6 } as const;
const ANY = blocks('rul', {}).match;
const slower = (id: string, match: Partial<EdgeMatch>, bps: number): EdgeRule => ({
  ...limits(id, match, 1),
  rate: { unit: 'bps', value: bps },
});
const nlri = (match: Partial<EdgeMatch>, { ip, family }: Omit<EdgeTarget, 'id' | 'rules'> = FOUR) =>
  nlriOf(componentsOf({ ...ANY, ...match }, ip, family));

test('a match has the bytes of RFC 8955 and RFC 8956', () => {
  const cases: [Partial<EdgeMatch>, string][] = [
    [{}, '06 0120cb007109'],
    [{ protocol: 'udp', sourcePorts: ['53'] }, '0c 0120cb007109 038111 068135'],
    [
      { protocol: 'udp', destinationPorts: ['53', '1024-65535'] },
      '12 0120cb007109 038111 0501351304 00d5ffff',
    ],
    [{ sourcePorts: ['80'] }, '0e 0120cb007109 0301068111 068150'],
    [{ source: '10.0.0.0/20' }, '0b 0120cb007109 02140a0000'],
    [
      { protocol: 'tcp', tcpFlags: { set: ['syn'], unset: ['ack', 'rst'] } },
      '0e 0120cb007109 038106 090102c214',
    ],
    [{ packetLength: { min: 541, max: 65_535 } }, '0d 0120cb007109 0a13021dd5ffff'],
    [{ fragments: 'only' }, '09 0120cb007109 0c8006'],
    [{ fragments: 'none' }, '09 0120cb007109 0c8206'],
  ];
  for (const [match, bytes] of cases) {
    assert.equal(nlri(match).toString('hex'), bytes.replaceAll(' ', ''), JSON.stringify(match));
  }
  assert.equal(
    nlri({ source: '2001:db8:f::/48', protocol: 'icmpv6' }, SIX).toString('hex'),
    `1f0180 0020010db8000b0000000000000000000902300020010db8000f03813a`.replaceAll(' ', ''),
  );
  const long = nlri({
    protocol: 'udp',
    sourcePorts: Array.from({ length: 80 }, (_, n) => `${1_000 + 2 * n}`),
  });
  assert.equal(long.subarray(0, 2).toString('hex'), 'f0fa', 'two bytes of length from 240 on');
});

test('a limit is bytes a second, a blackhole a route with its community', () => {
  const { attributes } = ruleRoute(4, nlri({}), 125_000);
  assert.equal(attributes[2]!.toString('hex'), 'c010088006000047f42400');
  const { nlri: prefix, attributes: asks } = blackholeRoute('203.0.113.9', '65535:666');
  assert.equal(prefix.toString('hex'), '20cb007109');
  assert.equal(asks[2]!.toString('hex'), 'c00804ffff029a');
  for (const ip of [FOUR.ip, SIX.ip]) assert.equal(destinationOf(blackholeRoute(ip, '1:2')), ip);
  for (const at of [FOUR, SIX]) {
    assert.equal(destinationOf(ruleRoute(at.family, nlri({ protocol: 'udp' }, at), 0)), at.ip);
  }
});

test('routers ask in the order of RFC 8955', () => {
  const first = (a: Partial<EdgeMatch>, b: Partial<EdgeMatch>) =>
    Math.sign(order(componentsOf({ ...ANY, ...a }, FOUR.ip, 4), componentsOf({ ...ANY, ...b }, FOUR.ip, 4)));
  const pairs: [Partial<EdgeMatch>, Partial<EdgeMatch>][] = [
    [{ protocol: 'udp' }, {}],
    [{ source: '10.0.0.0/8' }, { protocol: 'udp' }],
    [{ source: '10.1.0.0/16' }, { source: '10.0.0.0/8' }],
    [{ source: '10.0.0.0/8' }, { source: '11.1.0.0/16' }],
    [{ protocol: 'tcp' }, { protocol: 'udp' }],
    [{ protocol: 'udp', sourcePorts: ['53'] }, { protocol: 'udp' }],
    [
      { protocol: 'udp', destinationPorts: ['53'] },
      { protocol: 'udp', sourcePorts: ['53'] },
    ],
    [
      { protocol: 'udp', sourcePorts: ['53', '54'] },
      { protocol: 'udp', sourcePorts: ['53'] },
    ],
  ];
  for (const [a, b] of pairs) {
    assert.deepEqual([first(a, b), first(b, a), first(a, a)], [-1, 1, 0], JSON.stringify([a, b]));
  }
});

test('a rule that cannot be announced exactly is refused, with the field', () => {
  const refusal = (rules: EdgeRule[], at: Omit<EdgeTarget, 'rules'> = FOUR) =>
    planOf({ ...at, rules }).refused.map(({ ruleId, field }) => `${ruleId} ${field}`);
  assert.deepEqual(refusal([limits('rul_pps', { protocol: 'udp' }, 5)]), ['rul_pps rate']);
  assert.deepEqual(refusal([slower('rul_bps', { protocol: 'udp' }, 1_000_000_000)]), []);
  assert.deepEqual(refusal([slower('rul_bps', { protocol: 'udp' }, 1_000_000_001)]), ['rul_bps rate']);
  assert.deepEqual(refusal([blocks('rul_ah', { protocol: 'ah' })], SIX), ['rul_ah protocol']);
  assert.deepEqual(refusal([blocks('rul_ah', { protocol: 'ah' })]), []);
  const [wide, narrow] = [{ protocol: 'udp' }, { protocol: 'udp', sourcePorts: ['53'] }] as const;
  const exempt = slower('rul_exempt', { ...wide }, 8_000_000);
  const block = blocks('rul_block', { ...narrow, sourcePorts: ['53'] });
  assert.deepEqual(refusal([exempt, block]), ['rul_block priority'], 'routers would block first');
  assert.deepEqual(refusal([block, exempt]), []);
  assert.deepEqual(refusal([exempt, blocks('rul_tcp', { protocol: 'tcp' })]), [], 'no packet is of both');
  assert.deepEqual(refusal([exempt, blocks('rul_same', { ...wide })]), ['rul_same priority']);
  const pps = limits('rul_pps', { ...wide }, 5);
  assert.deepEqual(
    refusal([pps, block]),
    ['rul_pps rate', 'rul_block priority'],
    'what is behind it waits, too',
  );
  assert.deepEqual(refusal([blocks('rul_a', { ...wide }), block]), [], 'both block');
});

test('announced rules never drop or limit traffic that all the rules would pass', (t) => {
  let refusedOnes = 0;
  let verdicts = 0;
  const someRule = fc
    .tuple(anyRule, fc.constantFrom(0, 0, 8_000, 8_000_000))
    .map(([rule, bps]) =>
      bps === 0
        ? rule
        : { ...rule, action: 'rate_limit' as const, rate: { unit: 'bps' as const, value: bps } },
    );
  const property = fc.property(
    fc.array(someRule, { maxLength: 6 }),
    fc.array(anyPacket, { minLength: 20, maxLength: 20 }),
    (list, packets) => {
      const rules = list.map((rule, place) => ({ ...rule, id: `rul_${place}` }));
      const { announced, refused } = planOf({ ...FOUR, rules });
      const said = announced
        .map(({ ruleId }) => rules.find(({ id }) => id === ruleId)!)
        .toSorted((a, b) => order(componentsOf(a.match, FOUR.ip, 4), componentsOf(b.match, FOUR.ip, 4)));
      refusedOnes += refused.length;
      for (const packet of packets.filter(({ source }) => !source.includes(':'))) {
        const wanted = rules[reference(rules, packet)];
        const found = said[reference(said, packet)];
        const isSame = found?.action === 'block' ? wanted?.action === 'block' : found === wanted;
        if (found || refused.length === 0) assert.ok(isSame, JSON.stringify({ packet, wanted, found }));
        if (found) verdicts++;
      }
    },
  );
  const numRuns = depth(300, 2_000);
  fc.assert(property, { numRuns });
  t.diagnostic(`${verdicts} verdicts of routers, ${refusedOnes} rules refused`);
  assert.ok(verdicts > numRuns / 2 && refusedOnes > numRuns / 20, 'rules and packets meet');
});
