import assert from 'node:assert/strict';
import { blocks } from '../../server/edge/contract-harness.ts';
import type { EdgeRule, EdgeTarget } from '../../server/edge/driver.ts';
import { frameOf } from './support/frames.ts';
import { EdgeNetwork, testDevices, whyNot } from './support/network.ts';

/** Packets per batch, sent as fast as one core can until there have been enough updates. */
const PACKETS = 100_000;
/** Updates of the attacked target's rules; every third one rebuilds everything. */
const UPDATES = 90;

const VICTIM: EdgeTarget = { id: 'tgt_victim', ip: '203.0.113.9', family: 4, rules: [] };
const OTHER: EdgeTarget = { id: 'tgt_other', ip: '203.0.113.8', family: 4, rules: [] };
const STAYS = blocks('rul_stays', { protocol: 'udp', sourcePorts: ['123'] });

/** Returns varying rules around the one that stays: they are added, removed and reordered. */
function around(round: number): EdgeRule[] {
  const tcp = Array.from({ length: round % 4 }, (_, index) =>
    blocks(`rul_${round}_${index}`, { protocol: 'tcp', destinationPorts: [`${1 + round + index}`] }),
  );
  return round % 2 === 0 ? [...tcp, STAYS] : [STAYS, ...tcp];
}

const attack = frameOf(
  {
    protocol: 17,
    source: '198.51.100.7',
    sourcePort: 123,
    destinationPort: 4_000,
    length: 60,
    flags: [],
    fragment: 'none',
  },
  VICTIM.ip,
);

testDevices(
  'no packet of a stream passes while rules are changed and all tables are rebuilt',
  {
    skip: whyNot(),
  },
  async (t, devices) => {
    const network = await EdgeNetwork.open(t, { devices });
    const edge = network.client();
    t.after(() => edge.close());
    await edge.reconcile([{ ...VICTIM, rules: around(0) }, OTHER]);
    const arrived = await countArrivals(network);
    const started = performance.now();
    let streaming = true;
    let sent = 0;
    const stream = (async () => {
      for (; streaming; sent += PACKETS) await network.rush(attack, PACKETS);
    })();
    // Stop the stream even if the test fails.
    t.after(async () => {
      streaming = false;
      await stream;
    });
    let anew = 0;
    for (let updates = 1; updates <= UPDATES; updates++) {
      if (updates % 3 === 0) {
        // A changed layout, which forces the edge to rebuild everything.
        await network.edge.run('nft', 'add', 'rule', 'netdev', 'vauban-edge', 'ingress', 'counter');
        await edge.reconcile([{ ...VICTIM, rules: around(updates) }, OTHER]);
        anew++;
      } else await edge.putTarget({ ...VICTIM, rules: around(updates) });
    }
    const victims = (await edge.readTotals()).rows.find(({ id }) => id === VICTIM.id)!;
    assert.deepEqual(victims.passed, { packets: 0, bytes: 0 });
    assert.equal(await arrived(), 0);

    // Control: update in two steps, to prove that a leak in between would be noticed.
    const chain = ['netdev', 'vauban-edge', `t-${VICTIM.id}`];
    let gaps = 0;
    while ((await arrived()) === 0) {
      gaps++;
      await network.edge.run('nft', 'flush', 'chain', ...chain);
      await network.edge.run('nft', 'add', 'rule', ...chain, 'udp', 'sport', '123', 'drop');
    }
    const leaked = await arrived();
    streaming = false;
    await stream;
    const pps = Math.round((1_000 * sent) / (performance.now() - started));
    t.diagnostic(
      `${UPDATES} updates, ${anew} of them everything anew: 0 of ${pps} packets a second passed; ` +
        `${leaked} after ${gaps} in two steps`,
    );
    assert.ok(gaps <= UPDATES, `${gaps} updates in two steps were needed for one to leak`);

    // The same packets arrive once no rule blocks them.
    await edge.putTarget(VICTIM);
    const before = await arrived();
    await network.send(Array.from({ length: 10 }, () => attack));
    while ((await arrived()) < before + 10);
    assert.equal(await arrived(), before + 10);
  },
);

/** Counts the packets of the attack at the victim's own interface. */
async function countArrivals({ victim }: EdgeNetwork): Promise<() => Promise<number>> {
  const chain = 'add chain netdev arrivals in { type filter hook ingress device "v0" priority 0; }';
  for (const line of ['add table netdev arrivals', 'add counter netdev arrivals attack', chain]) {
    await victim.run('nft', line);
  }
  await victim.run('nft', 'add rule netdev arrivals in udp sport 123 counter name attack');
  return async () => {
    const { nftables } = JSON.parse(
      await victim.run('nft', '-j', 'list', 'counter', 'netdev', 'arrivals', 'attack'),
    );
    return nftables.find((item: object) => 'counter' in item).counter.packets;
  };
}
