// Runs on both engines: each keeps what was committed in its own way when its process is killed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { engine, freshDatabaseLocation } from '../support/database.ts';
import {
  changePlan,
  create,
  doomedCreate,
  type Operation,
  rebuild,
  remove,
  restore,
} from './support/operations.ts';
import { OUTCOMES, type Outcome, Sweep } from './support/sweep.ts';

/**
 * Kills per operation. Each costs a start of the service, which takes several times as long with the embedded engine.
 */
const KILLS = { pglite: 3, postgres: 6 }[engine];
/** Kills per operation that is free of charge. */
const FREE_KILLS = 4;
/**
 * Operations free of charge are killed on PostgreSQL only: `test/jobs/scaffold.full.test.ts` fails each of their steps
 * on both engines, and an engine's recovery from a kill does not depend on the operation.
 */
const FREE = { pglite: [], postgres: [restore, rebuild] }[engine];
const OPERATIONS: readonly Operation[] = [create, changePlan, ...FREE, remove, doomedCreate];
/** The only point between the commit of an operation and its reply. */
const COMMITTED = /^after the commit after insert into idempotency_keys/;
/** For an operation of the operator, it is the first commit. */
const COMMITTED_FIRST = /^after the commit/;

/** A second claim happens if adoption races with the delivery of a job, which is a matter of timing. */
const BY_CHANCE = /(select vm_id from jobs|update jobs set owner) .* #(?!1$)\d+$/;
/**
 * The share of kills that may be missed: points of a background task that only ran alongside the operation while points
 * were learned.
 */
const MISSED_AT_MOST = 0.1;

/** Selects the points to die at: evenly spread from first to last, and always the one between commit and reply. */
function spread(all: readonly string[], { operatorJob }: Operation): string[] {
  const [kills, committed] = operatorJob ? [FREE_KILLS, COMMITTED_FIRST] : [KILLS, COMMITTED];
  const points = all.filter((point) => !BY_CHANCE.test(point));
  const step = (points.length - 1) / (kills - 2);
  const chosen = new Set(Array.from({ length: kills - 1 }, (_, i) => Math.round(i * step)));
  chosen.add(points.findIndex((point) => committed.test(point)));
  for (let next = 0; chosen.size < kills; next++) chosen.add(next);
  return [...chosen].sort((a, b) => a - b).map((index) => points[index]!);
}

test('killed anywhere, an operation happens once and nothing is lost', async (t) => {
  const sweep = new Sweep(t, await freshDatabaseLocation(t));
  await sweep.start();
  const points = await sweep.learn(OPERATIONS);
  const visits = OPERATIONS.map((operation) => ({
    operation,
    points: spread(points.get(operation)!, operation),
    outcomes: [] as Outcome[],
  }));
  const began = performance.now();
  let kills = 0;
  let visited = 0;
  for (let round = 0; round < KILLS; round++) {
    const customer = await sweep.customer();
    let vmId = '';
    for (const { operation, points, outcomes } of visits) {
      const point = points[round];
      if (point === undefined) continue;
      const killed = await sweep.killAt(customer, operation, vmId, point);
      visited++;
      if (killed.outcome === 'missed') t.diagnostic(`${operation.name} never came to: ${point}`);
      else kills++;
      outcomes.push(killed.outcome);
      vmId = killed.vmId;
    }
  }
  t.diagnostic(`${engine}: ${kills} kills in ${((performance.now() - began) / 1000).toFixed(0)} s`);
  assert.ok(visited - kills <= MISSED_AT_MOST * visited, `${visited - kills} of ${visited} points missed`);
  for (const { operation, outcomes } of visits) {
    const counts = OUTCOMES.map((one) => `${one} ${outcomes.filter((outcome) => outcome === one).length}`);
    t.diagnostic(`${operation.name}, ${points.get(operation)!.length} points: ${counts.join('; ')}`);
    for (const outcome of OUTCOMES) assert.ok(outcomes.includes(outcome), `${operation.name}: ${outcome}`);
  }
});
