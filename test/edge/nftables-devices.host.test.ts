import assert from 'node:assert/strict';
import { test } from 'node:test';
import { blocks } from '../../server/edge/contract-harness.ts';
import type { EdgeTarget } from '../../server/edge/driver.ts';
import { frameOf } from './support/frames.ts';
import { EdgeNetwork, whyNot } from './support/network.ts';

const PACKETS = 20;
const TARGET: EdgeTarget = {
  id: 'tgt_victim',
  ip: '203.0.113.9',
  family: 4,
  rules: [blocks('rul_dns', { protocol: 'udp', sourcePorts: ['53'] })],
};

const packet = (sourcePort: number) =>
  frameOf(
    {
      protocol: 17,
      source: '198.51.100.7',
      sourcePort,
      destinationPort: 4_000,
      length: 60,
      flags: [],
      fragment: 'none',
    },
    TARGET.ip,
  );
const FRAMES = [53, 54].flatMap((port) => Array.from({ length: PACKETS }, () => packet(port)));

for (const devices of [1, 2, 3]) {
  test(`at ${devices} device(s), all are guarded, and tables that are as given are left alone`, {
    skip: whyNot(),
  }, async (t) => {
    const network = await EdgeNetwork.open(t, { devices });
    const edge = network.client();
    t.after(() => edge.close());
    await edge.reconcile([TARGET]);
    const { epoch } = await edge.readTotals();
    let alterations = 0;
    edge.onAltered(() => alterations++);

    await network.sendEverywhere(FRAMES);
    const counted = async () => {
      const { rows } = await edge.readTotals();
      return [rows[0]!.in.packets, rows[0]!.passed.packets];
    };
    const all = [2 * PACKETS * devices, PACKETS * devices];
    assert.deepEqual(await counted(), all);

    // As the service does when in doubt.
    await edge.reconcile([TARGET]);
    // Something happens to a device, which is compared with what the edge was given.
    await network.edge.run('ip', 'link', 'set', 'dev', 'e0', 'alias', 'uplink');
    await edge.startPortSample([TARGET.id]);
    await network.sendEverywhere(FRAMES);
    const [sample] = await edge.readPortSamples([TARGET.id]);
    assert.deepEqual(
      sample!.ports.map(({ packets }) => packets),
      [PACKETS * devices, PACKETS * devices],
    );
    await edge.reconcile([TARGET]);
    assert.equal((await edge.readTotals()).epoch, epoch, 'the tables were rebuilt');
    assert.deepEqual(
      await counted(),
      all.map((packets) => 2 * packets),
    );
    assert.equal(alterations, 0);
  });
}

test('tables that another program keeps altering are rebuilt each time, and the helper raises an alarm', {
  skip: whyNot(),
}, async (t) => {
  const network = await EdgeNetwork.open(t, { devices: 2 });
  const edge = network.client();
  t.after(() => edge.close());
  await edge.reconcile([TARGET]);
  const epochs = new Set<string>();
  for (let time = 0; time < 5; time++) {
    await network.edge.run('nft', 'add', 'rule', 'netdev', 'vauban-edge', 'ingress', 'counter');
    await edge.reconcile([TARGET]);
    epochs.add((await edge.readTotals()).epoch);
  }
  assert.equal(epochs.size, 5);
  const alarms = () => network.log.split('\n').filter((line) => line.includes('rebuilt again and again'));
  while (alarms().length === 0) await edge.readTotals();
  assert.equal(alarms().length, 1);
  const { level, times, why } = JSON.parse(alarms()[0]!);
  assert.deepEqual([level, times, why], ['error', 5, 'chains']);
});
