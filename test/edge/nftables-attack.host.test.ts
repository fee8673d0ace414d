import assert from 'node:assert/strict';
import type { TestContext } from 'node:test';
import { setBlackhole } from '../../server/db/queries/shield/shield-targets.ts';
import { READ_EVERY_MS } from '../../server/edge/nftables/nftables.ts';
import type { Packet } from '../../server/edge/simulator/packet.ts';
import type { ManualClock } from '../../server/platform/clock.ts';
import { attacksOn, openShield, rulesOf } from '../shield/support.ts';
import { frameOf } from './support/frames.ts';
import { EdgeNetwork, testDevices, whyNot } from './support/network.ts';
import { TimedEdge } from './support/timed-edge.ts';

const skip = whyNot();
/** Packets in a quarter of a second: 60,000 per second, 1.5 times the attack threshold. */
const FLOOD = 15_000;
const USUAL = 100;

const packet = (over: Partial<Packet>): Packet => ({
  protocol: 17,
  source: '198.51.100.7',
  sourcePort: 53,
  destinationPort: 4_000,
  length: 700,
  flags: [],
  fragment: 'none',
  ...over,
});
const AMPLIFIED = packet({});
const CLIENT = packet({ protocol: 6, sourcePort: 50_000, destinationPort: 443, length: 60, flags: ['ack'] });

async function open(t: TestContext, devices: number) {
  const network = await EdgeNetwork.open(t, { devices });
  let edge: TimedEdge | undefined;
  const shield = await openShield(t, (clock) => {
    edge = new TimedEdge(network.socket, clock);
    return edge;
  });
  t.after(() => edge!.close());
  await edge!.probe();
  const target = await shield.target();
  const advance = (ms: number) => (shield.api.services.clock as ManualClock).advance(ms);
  /** Sends this many packets in a quarter of a second and lets the detector look once. */
  const quarter = async (flood: number, usual = USUAL) => {
    const times = (frame: Buffer, count: number) => Array.from({ length: count }, () => frame);
    if (usual > 0) await network.send(times(frameOf(CLIENT, target.ip), usual));
    if (flood > 0) await network.flood(frameOf(AMPLIFIED, target.ip), flood);
    advance(READ_EVERY_MS);
    await shield.look();
  };
  /** Lets the detector look after this many seconds without traffic. */
  const later = async (seconds: number) => {
    advance(1_000 * seconds);
    await shield.look();
  };
  const totals = async () => (await edge!.readTotals()).rows.find(({ id }) => id === target.id)!;
  /** Sends such packets; fails unless they arrive at the edge and none passes. */
  const assertDropped = async (one: Packet, what: string) => {
    const before = await totals();
    await network.send(Array.from({ length: 20 }, () => frameOf(one, target.ip)));
    const after = await totals();
    assert.deepEqual(
      [after.in.packets - before.in.packets, after.passed.packets - before.passed.packets],
      [20, 0],
      what,
    );
  };
  return { network, shield, edge: edge!, target, quarter, later, totals, assertDropped };
}

testDevices(
  'a flood is noticed, dropped to the packet, and ends; normal traffic keeps passing',
  {
    skip,
  },
  async (t, devices) => {
    const { shield, edge, target, quarter, later, totals } = await open(t, devices);
    for (let look = 0; look < 3; look++) await quarter(0);
    assert.deepEqual(await attacksOn(shield.api, target), []);

    await quarter(FLOOD);
    await quarter(FLOOD);
    const [attack] = await attacksOn(shield.api, target);
    assert.deepEqual([attack!.status, attack!.vectors], ['ongoing', ['dns_amplification']]);
    const [rule] = await rulesOf(shield.api, target);
    assert.deepEqual(
      [rule!.action, rule!.protocol, rule!.source_ports, rule!.origin, rule!.status],
      ['block', 'udp', ['53'], 'automatic', 'active'],
    );

    const before = await totals();
    for (let look = 0; look < 2; look++) await quarter(FLOOD);
    const after = await totals();
    assert.equal(after.in.packets - before.in.packets, 2 * (FLOOD + USUAL));
    assert.equal(after.passed.packets - before.passed.packets, 2 * USUAL);
    const [counter] = (await edge.readRuleCounters([target.id])).rows;
    assert.deepEqual(counter!.dropped, { packets: 2 * FLOOD, bytes: 2 * FLOOD * AMPLIFIED.length });
    const [mitigated] = await attacksOn(shield.api, target);
    assert.ok(mitigated!.mitigated_at);

    await later(1);
    await later(60);
    const [ended] = await attacksOn(shield.api, target);
    assert.equal(ended!.status, 'ended');
    assert.equal(ended!.id, attack!.id);
    await later(600);
    assert.deepEqual(await rulesOf(shield.api, target), []);
    assert.deepEqual((await edge.readRuleCounters([target.id])).rows, []);
  },
);

testDevices('anything removed behind its back is restored at once', { skip }, async (t, devices) => {
  const { network, shield, target, assertDropped } = await open(t, devices);
  const body = { action: 'block', protocol: 'udp', source_ports: ['53'] };
  assert.equal((await shield.api.call('POST', target.rules, body)).status, 200);
  await shield.reconciler.idle();
  const nft = (...words: string[]) => network.edge.run('nft', ...words);
  const isWhole = async () => {
    const text = await nft('list', 'table', 'netdev', 'vauban-edge').catch(() => '');
    const counts = await nft('list', 'table', 'netdev', 'vauban-edge-counts').catch(() => '');
    return [
      text.includes('sport 53'),
      text.includes(`${target.ip} : goto`),
      counts.includes(target.ip),
    ].every(Boolean);
  };
  assert.ok(await isWhole());
  const chain = `t-${target.id}`;
  const losses: Record<string, () => Promise<unknown>> = {
    'the table of rules': () => nft('delete', 'table', 'netdev', 'vauban-edge'),
    'the table of counters': () => nft('delete', 'table', 'netdev', 'vauban-edge-counts'),
    "the target's rules": () => nft('flush', 'chain', 'netdev', 'vauban-edge', chain),
    'the way to them': () => nft('flush', 'map', 'netdev', 'vauban-edge', 'dispatch4'),
    everything: () => nft('flush', 'ruleset'),
    async 'everything, while the helper was dead'() {
      await network.stopHelper('SIGKILL');
      await nft('flush', 'ruleset');
      await network.startHelper();
    },
  };
  for (const [what, lose] of Object.entries(losses)) {
    await lose();
    const started = performance.now();
    while (!(await isWhole()));
    t.diagnostic(`${what}: whole again after ${Math.round(performance.now() - started)} ms`);
    await shield.reconciler.idle();
    await assertDropped(AMPLIFIED, what);
  }
});

testDevices('a blackhole that is taken away behind its back drops again', { skip }, async (t, devices) => {
  const { network, shield, target, assertDropped } = await open(t, devices);
  const { db, clock } = shield.api.services;
  await setBlackhole(db, target.id, new Date(clock.now().getTime() + 600_000));
  await shield.reconciler.reconcile();
  const nft = (...words: string[]) => network.edge.run('nft', ...words);
  const table = ['netdev', 'vauban-edge'];
  const chain = `b-${target.id}`;
  const isWhole = async () => {
    const text = await nft('list', 'table', ...table).catch(() => '');
    return text.includes(`${target.ip} : goto ${chain}`) && text.includes('drop comment "blackhole"');
  };
  const losses: Record<string, () => Promise<unknown>> = {
    'its rule': () => nft('flush', 'chain', ...table, chain),
    async 'the way to it'() {
      const element = (to: string) => `netdev vauban-edge dispatch4 { ${target.ip} : goto ${to} }`;
      await nft(`delete element ${element(chain)}; add element ${element(`t-${target.id}`)}`);
    },
  };
  for (const [what, lose] of Object.entries(losses)) {
    assert.ok(await isWhole(), what);
    await lose();
    while (!(await isWhole())) await shield.reconciler.reconcile();
    await shield.reconciler.idle();
    await assertDropped(CLIENT, what);
  }
});
