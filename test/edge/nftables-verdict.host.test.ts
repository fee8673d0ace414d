import assert from 'node:assert/strict';
import fc from 'fast-check';
import { EDGE_CLASSES, type EdgeClass, type EdgeTarget, type Volume } from '../../server/edge/driver.ts';
import { chainOf } from '../../server/edge/nftables/rules.ts';
import { classOf, compileRules, firstMatch, type Packet } from '../../server/edge/simulator/packet.ts';
import { frameOf, lengthsOf } from './support/frames.ts';
import { EdgeNetwork, testDevices, whyNot } from './support/network.ts';
import { anyAlikeRules, anyPacket, anyRule, reference } from './support/oracle.ts';

/** Targets, each with its own rules and packets: all of them take one write, one stream of packets and one reading. */
const CASES = 300;
const PACKETS = 15;
const MAX_RULES = 12;
/** More than is ever sent: a packet within this limit matches its rule and passes. */
const HIGH = { unit: 'pps', value: 1_000_000 } as const;

interface Case {
  target: EdgeTarget;
  packets: Packet[];
}

/**
 * Returns the packet in a form that can be sent: with the target's address family, and no shorter than its headers.
 * Undefined if there is none.
 */
function sendable(packet: Packet, family: 4 | 6): Packet | undefined {
  if (packet.source.includes(':') !== (family === 6)) return undefined;
  // In IPv6, AH is an extension header, which the kernel skips behind a fragment header.
  if (family === 6 && packet.protocol === 51 && packet.fragment !== 'none') return undefined;
  const [least, most] = lengthsOf(packet, family);
  return { ...packet, length: Math.min(most, Math.max(least, packet.length)) };
}

function cases(seed: number): Case[] {
  const some = fc.oneof(
    anyRule.map((rule) => [rule]),
    anyAlikeRules,
  );
  const lists = fc.sample(fc.array(some, { maxLength: MAX_RULES / 2 }), { seed, numRuns: CASES });
  const packets = fc.sample(anyPacket, { seed, numRuns: CASES * PACKETS * 4 });
  return lists.map((list, index) => {
    const family = index % 2 === 0 ? 4 : 6;
    const ip =
      family === 4 ? `100.64.${index >> 8}.${index & 255}` : `2001:db8:b::${(index + 16).toString(16)}`;
    const own = packets.splice(0, PACKETS * 4).flatMap((packet) => sendable(packet, family) ?? []);
    return {
      target: {
        id: `tgt_${index}`,
        ip,
        family,
        rules: list.flat().map((rule, place) => ({
          ...rule,
          id: `rul_${place}`,
          ...(place % 8 === 3 ? { action: 'rate_limit' as const, rate: HIGH } : {}),
        })),
      },
      packets: own.slice(0, PACKETS),
    };
  });
}

const nothing = (): Volume => ({ packets: 0, bytes: 0 });
const count = (to: Volume, { length }: Packet) => {
  to.packets += 1;
  to.bytes += length;
};

/** Computes the expected counters packet by packet. */
function expected({ target: { rules }, packets }: Case) {
  const compiled = compileRules(rules);
  const classes = Object.fromEntries(EDGE_CLASSES.map((name) => [name, nothing()])) as Record<
    EdgeClass,
    Volume
  >;
  const counts = { in: nothing(), passed: nothing(), classes, rules: rules.map(nothing) };
  for (const packet of packets) {
    const place = reference(rules, packet);
    assert.equal(firstMatch(compiled, packet), place, JSON.stringify(packet));
    count(counts.in, packet);
    count(classes[classOf(packet)], packet);
    const dropped = rules[place]?.action === 'block';
    count(dropped ? counts.rules[place]! : counts.passed, packet);
  }
  return counts;
}

testDevices(
  'kernel, simulator and a plain evaluation agree on random rules and packets, and every count is exact',
  {
    skip: whyNot(),
  },
  async (t, devices) => {
    const network = await EdgeNetwork.open(t, { devices });
    const edge = network.client();
    t.after(() => edge.close());
    const seed = Math.floor(Math.random() * 2 ** 31);
    const all = cases(seed);
    await edge.reconcile(all.map(({ target }) => target));
    await network.send(
      all.flatMap(({ target, packets }) => packets.map((packet) => frameOf(packet, target.ip))),
    );
    const ids = all.map(({ target }) => target.id);
    const totals = new Map((await edge.readTotals()).rows.map((row) => [row.id, row]));
    const details = new Map((await edge.readDetail(ids)).rows.map((row) => [row.id, row.classes]));
    const counters = Map.groupBy((await edge.readRuleCounters(ids)).rows, ({ targetId }) => targetId);
    let verdicts = 0;
    let dropped = 0;
    for (const one of all) {
      const { id, rules } = one.target;
      const wanted = expected(one);
      const counted = new Map((counters.get(id) ?? []).map((row) => [row.id, row.dropped]));
      const found = {
        in: totals.get(id)!.in,
        passed: totals.get(id)!.passed,
        classes: details.get(id)!,
        rules: rules.map((rule) => counted.get(rule.id)),
      };
      assert.deepEqual(found, wanted, `seed ${seed}: ${JSON.stringify(one, null, 1)}`);
      verdicts += wanted.in.packets;
      dropped += wanted.in.packets - wanted.passed.packets;
    }
    const NAMELESS = { number: 0, limit: '', sources: '' };
    const together = all.flatMap(({ target: { rules, family } }) =>
      chainOf(rules, family, () => NAMELESS).filter(({ text }) => text.includes(' map ')),
    );
    assert.ok(together.length > CASES / 20, `${together.length} lookups of several rules`);
    t.diagnostic(`${verdicts} packets to ${CASES} targets, ${dropped} of them dropped`);
    assert.ok(dropped > verdicts / 10 && dropped < verdicts, 'rules and packets meet');
  },
);
