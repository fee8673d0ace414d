// Runs on the embedded engine only: it is about the detector; test/chaos/shield.full.test.ts stores attacks on PostgreSQL.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SIMULATED_VECTORS, type SimulatedVector } from '../../server/edge/driver.ts';
import { CLOSER_LOOK_MS } from '../../server/shield/shield-tasks.ts';
import { attacksOn, openShield, rulesOf, type TestTarget } from './support.ts';

const SECOND = 1000;
const INTENSITIES = [60_000, 200_000, 1_000_000, 10_000_000];
/**
 * With one look per second: the rest of the second in which the attack begins, another one if that was too little, and
 * a closer look.
 */
const SLOWEST_SECONDS = 2;
/** The most that may still pass once an attack is mitigated, usual traffic included. */
const MOST_PASSED_PPS = 15_000;

test('every vector at every intensity is found, named and dropped', async (t) => {
  const shield = await openShield(t);
  const { api, edge } = shield;
  const { clock } = api.services;
  const cases: { vector: SimulatedVector; pps: number; target: TestTarget }[] = [];
  const spared = await shield.target();
  const { tenantId } = spared;
  for (const vector of SIMULATED_VECTORS) {
    for (const pps of INTENSITIES) cases.push({ vector, pps, target: await shield.target({ tenantId }) });
  }
  await shield.pass(3);
  // Between two looks, as in reality.
  clock.advance(0.4 * SECOND);
  const start = clock.now().getTime();
  for (const { vector, pps, target } of cases) await shield.attack(target, vector, pps, 60);
  clock.advance(0.6 * SECOND);
  const detected = new Map<string, number>();
  const look = async () => {
    const isCloser = await shield.look();
    for (const { target } of cases) {
      const [attack] = await attacksOn(api, target);
      if (attack && !detected.has(target.id)) {
        detected.set(target.id, (clock.now().getTime() - start) / SECOND);
      }
    }
    return isCloser;
  };
  for (let looks = 0; looks < SLOWEST_SECONDS; looks++) {
    const isCloser = await look();
    clock.advance(CLOSER_LOOK_MS);
    if (isCloser) await look();
    clock.advance(SECOND - CLOSER_LOOK_MS);
  }
  const before = new Map((await edge.readTotals()).rows.map((row) => [row.id, row]));
  await shield.pass(5);
  const after = new Map((await edge.readTotals()).rows.map((row) => [row.id, row]));

  t.diagnostic('vector               packets/s  detected  mitigated  still passing  rules');
  for (const { vector, pps, target } of cases) {
    const name = `${vector} of ${pps}`;
    const [attack, ...others] = await attacksOn(api, target);
    assert.ok(attack && others.length === 0, `${name}: one attack`);
    assert.ok(attack.vectors.includes(vector), `${name} was named: ${attack.vectors}`);
    const found = detected.get(target.id);
    assert.ok(found !== undefined && found <= SLOWEST_SECONDS, `${name}: detected after ${found} s`);
    assert.ok(attack.mitigated_at, `${name}: mitigated`);
    const mitigated = (Date.parse(attack.mitigated_at) - start) / SECOND;
    assert.ok(mitigated <= SLOWEST_SECONDS, `${name}: mitigated after ${mitigated} s`);
    const packets = (side: typeof after) => side.get(target.id)!.passed.packets;
    const passing = (packets(after) - packets(before)) / 5;
    assert.ok(passing < MOST_PASSED_PPS, `${name}: ${passing} packets a second still pass`);
    const { length } = await rulesOf(api, target);
    t.diagnostic(
      `${vector.padEnd(18)} ${String(pps).padStart(11)} ${String(found).padStart(7)} s ${String(mitigated).padStart(8)} s ` +
        `${String(Math.round(passing)).padStart(14)} ${String(length).padStart(6)}`,
    );
  }
  assert.deepEqual(await attacksOn(api, spared), [], 'it was not attacked');
});
