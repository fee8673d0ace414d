import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocks } from '../../server/edge/contract-harness.ts';
import type { EdgeTarget } from '../../server/edge/driver.ts';
import { Lanes } from '../../server/platform/nftables/lanes.ts';
import { frameOf } from './support/frames.ts';
import { EdgeNetwork, testDevices, whyNot } from './support/network.ts';

const TARGETS = 300;
const READINGS = 20;

const target = (number: number, ports: string[]): EdgeTarget => ({
  id: `tgt_${number}`,
  ip: `100.64.${number >> 8}.${number & 255}`,
  family: 4,
  rules: ports.map((port) => blocks(`rul_${number}_${port}`, { protocol: 'udp', sourcePorts: [port] })),
});

testDevices('rules overtake readings that were asked for before', { skip: whyNot() }, async (t, devices) => {
  const network = await EdgeNetwork.open(t, { devices });
  const edge = network.client();
  t.after(() => edge.close());
  await edge.reconcile(Array.from({ length: TARGETS }, (_, number) => target(number, ['1', '2'])));
  let read = 0;
  const readings = Array.from({ length: READINGS }, (_, index) => {
    const reading = index % 2 === 0 ? edge.readTotals() : edge.readRuleCounters(['tgt_7']);
    return reading.then((found) => {
      read++;
      return found;
    });
  });
  await edge.putTarget(target(7, ['1', '3']));
  const before = read;
  t.diagnostic(`${before} of ${READINGS} readings were done before the rule was in force`);
  assert.ok(before < READINGS, 'not all of them were waited for');
  const ids = (await Promise.all(readings)).map(({ epoch }) => epoch);
  assert.equal(new Set(ids).size, 1);
  assert.deepEqual((await edge.readRuleCounters(['tgt_7'])).rows.map(({ id }) => id).sort(), [
    'rul_7_1',
    'rul_7_3',
  ]);
  assert.equal((await edge.readTotals()).rows.length, TARGETS);
});

const flood = frameOf(
  {
    protocol: 17,
    source: '198.51.100.7',
    sourcePort: 53,
    destinationPort: 4_000,
    length: 60,
    flags: [],
    fragment: 'none',
  },
  target(1, []).ip,
);

for (const [when, packets] of [
  ['once its time is over', 1_000],
  ['before that once it has counted enough', 5_000],
] as const) {
  testDevices(
    `a port sample is out of the way of packets ${when}, and can still be read`,
    {
      skip: whyNot(),
    },
    async (t, devices) => {
      const network = await EdgeNetwork.open(t, { devices });
      const edge = network.client();
      t.after(() => edge.close());
      const victim = target(1, []);
      await edge.reconcile([victim]);
      await edge.startPortSample([victim.id]);
      await network.flood(flood, packets);
      const [before] = await edge.readPortSamples([victim.id]);
      assert.deepEqual(
        before!.ports.map(({ protocol, port, packets: counted }) => ({ protocol, port, packets: counted })),
        [{ protocol: 'udp', port: 53, packets }],
      );
      const countsOn = await whileThere(network);
      if (packets > 1_000) assert.ok(countsOn, 'its time was not over');
      assert.deepEqual(await edge.readPortSamples([victim.id]), [before]);
      await edge.startPortSample([victim.id]);
      assert.deepEqual((await edge.readPortSamples([victim.id]))[0]!.ports, []);
    },
  );
}

/** Waits until the table of the first port sample has been removed; returns whether it counted until then. */
async function whileThere({ edge }: EdgeNetwork): Promise<boolean> {
  const list = () => edge.run('nft', 'list', 'set', 'netdev', 'vauban-edge-sample-1', 'live4');
  let counts = true;
  for (;;) {
    const text = await list().catch((error: Error) => {
      if (/No such file/.test(error.message)) return undefined;
      throw error;
    });
    if (text === undefined) return counts;
    counts = text.includes('expires');
  }
}

testDevices(
  'the counts of a port sample are still known after its time is over',
  {
    skip: whyNot(),
  },
  async (t, devices) => {
    const network = await EdgeNetwork.open(t, { devices });
    const edge = network.client();
    t.after(() => edge.close());
    const [victim, other] = [target(1, []), target(2, [])];
    await edge.reconcile([victim, other]);
    await edge.startPortSample([victim.id]);
    await network.flood(flood, 5_000);
    const before = await edge.readPortSamples([victim.id]);
    await whileThere(network);
    // A later sample that counts nothing ends later.
    await edge.startPortSample([other.id]);
    const tables = () => network.edge.run('nft', 'list', 'tables', 'netdev');
    while ((await tables()).includes('vauban-edge-sample-'));
    assert.deepEqual(await edge.readPortSamples([victim.id]), before);
  },
);

testDevices(
  'tables that a process left behind are deleted by the next',
  { skip: whyNot() },
  async (t, devices) => {
    const network = await EdgeNetwork.open(t, { devices });
    const edge = network.client();
    t.after(() => edge.close());
    const victim = target(1, ['1']);
    await edge.reconcile([victim]);
    await edge.startPortSample([victim.id]);
    await network.stopHelper('SIGKILL');
    // As if it had died while rebuilding everything.
    await network.edge.run('nft', 'add', 'table', 'netdev', 'vauban-edge-guard');
    await network.startHelper();
    await edge.reconcile([victim]);
    const tables = await network.edge.run('nft', 'list', 'tables', 'netdev');
    assert.deepEqual(tables.trim().split('\n').sort(), [
      'table netdev vauban-edge',
      'table netdev vauban-edge-counts',
    ]);
  },
);

test('a write waits for no reading, and a reading for no more than some writes', async () => {
  const lanes = new Lanes();
  const done: string[] = [];
  const reading = Promise.withResolvers<void>();
  const read = lanes.read(() => reading.promise).then(() => done.push('reading'));
  const writes = Array.from({ length: 20 }, (_, index) =>
    lanes.write(async () => {
      done.push(`write ${index}`);
    }),
  );
  await writes[9];
  // Everything that does not need the reading has completed.
  await new Promise(setImmediate);
  assert.equal(done.length, 10);
  reading.resolve();
  await Promise.all([read, ...writes]);
  assert.equal(done.length, 21);
  assert.ok(done.indexOf('reading') <= 11);

  await assert.rejects(
    lanes.read(() => Promise.reject(new Error('unreadable'))),
    /unreadable/,
  );
  await assert.rejects(
    lanes.write(() => Promise.reject(new Error('unwritable'))),
    /unwritable/,
  );
  await lanes.idle();
  assert.equal(await lanes.write(async () => 'written'), 'written');
});
