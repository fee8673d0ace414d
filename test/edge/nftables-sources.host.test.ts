import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '../../server/edge/contract-harness.ts';
import type { EdgeTarget } from '../../server/edge/driver.ts';
import { frameOf } from './support/frames.ts';
import { EdgeNetwork, whyNot } from './support/network.ts';

/** The burst is a tenth of a second's packets for all senders, and a second's packets for a single one. */
const RATE = { unit: 'pps', value: 2_000, perSource: 20 } as const;
const BURST = 200;
const BURST_OF_ONE = 20;
/** The capacity of the set of senders. */
const MAX_SOURCES = 4_096;
const FLOOD = 2_000;
const CROWD = 30;

for (const family of [4, 6] as const) {
  test(`a limit bounds each sender, and all of them once they are too many, IPv${family}`, {
    skip: whyNot(),
  }, async (t) => {
    const network = await EdgeNetwork.open(t, { devices: family === 4 ? 1 : 2 });
    const edge = network.client();
    t.after(() => edge.close());
    const ip = family === 4 ? '203.0.113.9' : '2001:db8:b::9';
    const rule = { ...limits('rul_each', { protocol: 'udp' }, RATE.value), rate: RATE };
    const target: EdgeTarget = { id: 'tgt_each', ip, family, rules: [rule] };
    const from = (number: number) => {
      const [high, low] = [number >> 8, number & 255];
      const source =
        family === 4 ? `198.18.${high}.${low}` : `2001:db8:${(0x100 + number).toString(16)}:1::7`;
      return frameOf(
        { protocol: 17, source, sourcePort: 9, destinationPort: 9, length: 100, flags: [], fragment: 'none' },
        ip,
      );
    };
    await edge.putTarget(target);
    const passing = async (send: () => Promise<void>) => {
      const passed = async () => (await edge.readTotals()).rows[0]!.passed.packets;
      const [before, started] = [await passed(), performance.now()];
      await send();
      return { packets: (await passed()) - before, seconds: (performance.now() - started) / 1_000 };
    };

    const flood = await passing(() => network.flood(from(1), FLOOD));
    assert.ok(flood.packets >= BURST_OF_ONE, `${flood.packets} of one sender`);
    assert.ok(
      flood.packets <= BURST_OF_ONE + RATE.perSource * flood.seconds + 1,
      `${flood.packets} of one sender`,
    );
    const crowd = await passing(() =>
      network.send(Array.from({ length: CROWD }, (_, index) => from(2 + Math.floor(index / 3)))),
    );
    assert.equal(crowd.packets, CROWD, 'others get through');

    const strangers = Array.from({ length: 2 * MAX_SOURCES }, (_, index) => from(1_000 + index));
    const many = await passing(() => network.send(strangers));
    assert.ok(many.packets <= BURST + RATE.value * many.seconds + 1, `${many.packets} of many senders`);
    const list = ['list', 'set', 'netdev', 'vauban-edge', 'tgt_each/rul_each/sources-20'];
    const { nftables } = JSON.parse(await network.edge.run('nft', '-j', ...list));
    const known = nftables.find((item: { set?: object }) => item.set).set.elem.length;
    assert.ok(known <= MAX_SOURCES, `${known} senders are told apart`);
    const again = await passing(() => network.flood(from(1), FLOOD));
    assert.ok(again.packets <= BURST + RATE.value * again.seconds + 1, 'never more than all may have');
    t.diagnostic(
      `one sender: ${flood.packets} of ${FLOOD} passed; ${CROWD} of ${CROWD} of others; ` +
        `${many.packets} of ${strangers.length} of strangers in ${many.seconds.toFixed(1)} s`,
    );

    await edge.reconcile([{ ...target, rules: [{ ...rule, rate: { ...RATE, perSource: 30 } }] }]);
    await edge.reconcile([{ ...target, rules: [] }]);
    const text = await network.edge.run('nft', 'list', 'table', 'netdev', 'vauban-edge');
    assert.ok(!text.includes('tgt_each/'), 'nothing is left of it');
  });
}
