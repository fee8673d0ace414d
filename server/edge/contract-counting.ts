import assert from 'node:assert/strict';
import { blocks, type ContractCases, limits, SENT_PORT } from './contract-harness.ts';
import { EDGE_CLASSES } from './driver.ts';

/** The contract's tests about counting. */
export const COUNTING: ContractCases = {
  async 'received packets are passed plus dropped ones, exactly, in every class'(harness) {
    if (!harness.driver.capabilities().counts) return;
    const { driver, put, send, totalsOf, countersOf } = harness;
    const target = await put([limits('rul_limit', { protocol: 'udp' }, 100)]);
    await send(target);
    const { in: all, passed } = (await totalsOf(target.id))!;
    const [counter] = await countersOf(target.id);
    // A simulation has fractions of packets, which may count on either side.
    assert.ok(Math.abs(all.packets - passed.packets - counter!.dropped.packets) <= 1);
    const [detail] = (await driver.readDetail([target.id])).rows;
    const counted = EDGE_CLASSES.reduce((sum, name) => sum + detail!.classes[name].packets, 0);
    assert.ok(Math.abs(counted - all.packets) <= EDGE_CLASSES.length, `${counted} of ${all.packets}`);
    assert.ok(detail!.classes.udp.packets > 0);
  },

  async 'counters never fall while rules come and go'({ driver, put, send, totalsOf }) {
    if (!driver.capabilities().counts) return;
    const target = await put();
    const { epoch } = await driver.readTotals();
    let before = (await totalsOf(target.id))!;
    const sets = [
      [blocks('rul_a', { protocol: 'udp' })],
      [],
      [limits('rul_b', { protocol: 'udp' }, 5), blocks('rul_c', { protocol: 'tcp' })],
    ];
    for (const rules of sets) {
      await driver.putTarget({ ...target, rules });
      await send(target);
      const after = (await totalsOf(target.id))!;
      for (const part of ['packets', 'bytes'] as const) {
        assert.ok(after.in[part] >= before.in[part]);
        assert.ok(after.passed[part] >= before.passed[part]);
      }
      before = after;
    }
    assert.equal((await driver.readTotals()).epoch, epoch);
  },

  async 'a reading of unknown targets is empty'({ driver }) {
    assert.deepEqual((await driver.readDetail(['tgt_absent'])).rows, []);
    assert.deepEqual((await driver.readRuleCounters(['tgt_absent'])).rows, []);
    assert.deepEqual(await driver.readPortSamples(['tgt_absent']), []);
    await driver.startPortSample(['tgt_absent']);
    await driver.blackhole('tgt_absent', false);
  },

  async 'a port sample finds the source port of nearly all traffic'({ driver, put, send }) {
    if (!driver.capabilities().counts) return;
    const target = await put();
    assert.deepEqual(await driver.readPortSamples([target.id]), []);
    await driver.startPortSample([target.id]);
    await send(target);
    const [portSample] = await driver.readPortSamples([target.id]);
    const total = portSample!.ports.reduce((sum, { packets }) => sum + packets, 0);
    const found = portSample!.ports.find(({ protocol, port }) => protocol === 'udp' && port === SENT_PORT);
    assert.ok(found!.packets > 0.7 * total, `${found!.packets} of ${total}`);
    assert.ok(found!.bytes > found!.packets);
  },

  async 'a restarted port sample starts from zero'({ driver, put, send }) {
    if (!driver.capabilities().counts) return;
    const target = await put();
    await driver.startPortSample([target.id]);
    await send(target);
    await driver.startPortSample([target.id]);
    const [portSample] = await driver.readPortSamples([target.id]);
    assert.equal(
      portSample!.ports.reduce((sum, { packets }) => sum + packets, 0),
      0,
    );
  },
};
