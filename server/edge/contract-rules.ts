import assert from 'node:assert/strict';
import { blocks, type ContractCases, limitsBy, SENT_PORT } from './contract-harness.ts';
import type { TargetTotals } from './driver.ts';

/** Far below the rate of a harness. */
const FEW_PPS = 10;
/** Exceeds the burst that any limit allows. */
const BURSTS = 3;

/**
 * Asserts that at least nine tenths of the packets were dropped; on some edges a little other traffic arrives, too.
 */
function assertDropped({ in: all, passed }: Pick<TargetTotals, 'in' | 'passed'>): void {
  assert.ok(
    all.packets > 0 && passed.packets < all.packets / 10,
    `${passed.packets} of ${all.packets} passed`,
  );
}

/** The contract's tests about rules. */
export const RULES: ContractCases = {
  async 'it proves that it works, and reports its capabilities'({ driver }) {
    const { ok, summary } = await driver.probe();
    assert.equal(ok, true);
    assert.match(summary, /^\S.*$/, 'one line');
    assert.ok(driver.capabilities().maxRulesPerTarget > 0);
  },

  async 'a packet that matches no rule passes'({ driver, put, send, seen, countersOf }) {
    const target = await put([blocks('rul_other', { protocol: 'udp', sourcePorts: ['9'] })]);
    await send(target);
    const { in: all, passed } = await seen(target);
    assert.ok(all.packets > 0);
    assert.deepEqual(passed, all);
    if (!driver.capabilities().counts) return;
    assert.equal((await countersOf(target.id))[0]!.dropped.packets, 0);
  },

  async 'a rule drops matching packets, and counts them'(harness) {
    const { driver, put, send, seen, countersOf } = harness;
    const target = await put([blocks('rul_ntp', { protocol: 'udp', sourcePorts: [`${SENT_PORT}`] })]);
    await send(target);
    const { in: all, passed } = await seen(target);
    assertDropped({ in: all, passed });
    if (!driver.capabilities().counts) return;
    const [{ dropped, id, targetId }] = (await countersOf(target.id)) as [never];
    assert.deepEqual([id, targetId], ['rul_ntp', target.id]);
    assert.ok((dropped as { packets: number }).packets > 0);
    assert.equal(all.packets - passed.packets, (dropped as { packets: number }).packets);
  },

  async 'the first match decides'({ driver, put, send, countersOf }) {
    const { counts, ordering } = driver.capabilities();
    if (!counts || ordering !== 'priority') return;
    const target = await put([
      blocks('rul_first', { protocol: 'udp' }),
      blocks('rul_second', { protocol: 'udp', sourcePorts: [`${SENT_PORT}`] }),
    ]);
    await send(target);
    const droppedBy = Object.fromEntries(
      (await countersOf(target.id)).map(({ id, dropped }) => [id, dropped.packets > 0]),
    );
    assert.deepEqual(droppedBy, { rul_first: true, rul_second: false });
  },

  async 'a limit passes its rate and drops the rest'({ driver, put, send, seen }) {
    const target = await put([limitsBy(driver, 'rul_limit', { protocol: 'udp' }, FEW_PPS)]);
    for (let burst = 0; burst < BURSTS; burst++) await send(target);
    const { in: all, passed } = await seen(target);
    assert.ok(passed.packets > 0 && passed.packets < all.packets / 2, `${passed.packets} of ${all.packets}`);
  },

  async 'rules replace earlier ones; an unchanged rule keeps its counter'(harness) {
    const { driver, put, send, countersOf, seen } = harness;
    const { counts } = driver.capabilities();
    const stays = blocks('rul_stays', { protocol: 'udp', sourcePorts: [`${SENT_PORT}`] });
    const target = await put([stays, blocks('rul_goes', { protocol: 'tcp' })]);
    await send(target);
    const [before] = await countersOf(target.id);
    await driver.putTarget({ ...target, rules: [stays] });
    const after = await countersOf(target.id);
    assert.deepEqual(
      after.map(({ id }) => id),
      counts ? ['rul_stays'] : [],
    );
    if (counts) assert.ok(after[0]!.dropped.packets >= before!.dropped.packets);
    await driver.putTarget({ ...target, rules: [] });
    const { in: all, passed } = await seen(target);
    await send(target);
    const later = await seen(target);
    assert.ok(later.in.packets > all.packets);
    assert.equal(later.passed.packets - passed.packets, later.in.packets - all.packets);
    assert.deepEqual(await countersOf(target.id), []);
  },

  async 'putting the same rules again changes nothing'({ driver, put, send, countersOf, totalsOf, seen }) {
    const target = await put([blocks('rul_same', { protocol: 'udp' })]);
    await send(target);
    const [totals, counters] = [(await totalsOf(target.id))!, await countersOf(target.id)];
    assert.deepEqual(await driver.putTarget(target), { targets: 1, rules: 1 });
    await send(target);
    assertDropped(await seen(target));
    if (!driver.capabilities().counts) return;
    assert.ok((await totalsOf(target.id))!.in.packets >= totals.in.packets);
    assert.ok((await countersOf(target.id))[0]!.dropped.packets >= counters[0]!.dropped.packets);
  },

  async 'targets do not affect each other'({ put, send, seen }) {
    const blocked = await put([blocks('rul_all', { protocol: 'udp' })]);
    const other = await put();
    await send(blocked);
    await send(other);
    const { in: all, passed } = await seen(other);
    assert.ok(all.packets > 0);
    assert.deepEqual(passed, all);
  },

  async 'reconcile makes it hold exactly the given targets'({ driver, put, target, send, seen }) {
    const kept = await put([blocks('rul_old', { protocol: 'tcp' })]);
    const gone = await put();
    const fresh = { ...target(), rules: [blocks('rul_fresh', { protocol: 'udp' })] };
    const wanted = [{ ...kept, rules: [blocks('rul_new', { protocol: 'udp', sourcePorts: ['9'] })] }, fresh];
    assert.deepEqual(await driver.reconcile(wanted), { targets: 2, rules: 2 });
    if (driver.capabilities().counts) {
      const ids = (await driver.readTotals()).rows.map(({ id }) => id).sort();
      assert.deepEqual(ids, [kept.id, fresh.id].sort());
      const rules = (await driver.readRuleCounters([kept.id, gone.id, fresh.id])).rows.map(({ id }) => id);
      assert.deepEqual(rules.sort(), ['rul_fresh', 'rul_new']);
    }
    for (const [at, isBlocked] of [
      [fresh, true],
      [kept, false],
    ] as const) {
      await send(at);
      const found = await seen(at);
      if (isBlocked) assertDropped(found);
      else assert.deepEqual(found.passed, found.in);
    }
    assert.deepEqual(await driver.reconcile(wanted), { targets: 2, rules: 2 });
    await driver.removeTarget(fresh.id);
  },

  async 'rules in force outlive the driver'({ put, send, seen, reopen }) {
    const target = await put([blocks('rul_lasting', { protocol: 'udp' })]);
    const driver = await reopen();
    await send(target);
    assertDropped(await seen(target));
    if (!driver.capabilities().counts) return driver.close();
    const [counter] = (await driver.readRuleCounters([target.id])).rows;
    assert.ok(counter!.dropped.packets > 0);
    await driver.close();
  },

  async 'a removed target is gone; removing it again succeeds'({ driver, put, totalsOf }) {
    const { id } = await put([blocks('rul_any', { protocol: 'udp' })]);
    await driver.removeTarget(id);
    await driver.removeTarget(id);
    assert.equal(await totalsOf(id), undefined);
    assert.deepEqual((await driver.readDetail([id])).rows, []);
    assert.deepEqual((await driver.readRuleCounters([id])).rows, []);
  },

  async 'a blackhole drops everything until it is removed'({ driver, put, send, seen }) {
    const target = await put();
    await driver.blackhole(target.id, true);
    await driver.blackhole(target.id, true);
    const before = await seen(target);
    await send(target);
    const during = await seen(target);
    assert.equal(during.passed.packets, before.passed.packets);
    await driver.blackhole(target.id, false);
    await send(target);
    assert.ok((await seen(target)).passed.packets > during.passed.packets);
  },
};
