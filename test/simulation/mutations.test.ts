import assert from 'node:assert/strict';
import { test } from 'node:test';
import { audit } from '../../server/domain/billing/audit/audit.ts';
import { PriceNotices } from '../../server/jobs/timers/price-notices.ts';
import { Failures } from '../../server/platform/failures.ts';
import { defer } from '../support/cleanup.ts';
import { freshDatabase } from '../support/database.ts';
import { depth } from '../support/depth.ts';
import { priceIn } from './currencies.ts';
import { figuresOf, type Mutation, mutate } from './mutations.ts';
import { Prng } from './prng.ts';
import { World } from './world.ts';

// For another world: SIMULATION_SEED=… npm test -- test/simulation/mutations.test.ts
const SEED = process.env.SIMULATION_SEED ?? 'vauban';
/** Operations before the world is edited: enough for months to pass and documents to be issued. */
const OPERATIONS = depth(150, 600);
const MUTATIONS = Number(process.env.SIMULATION_MUTATIONS ?? depth(15, 100));

test(`the audit finds each of ${MUTATIONS} edited figures, and no other`, async (t) => {
  t.diagnostic(`seed ${SEED}`);
  const db = await freshDatabase(t);
  const world = await World.open(db, SEED);
  defer(t, () => world.close());
  const { clock, catalog } = world.services;
  catalog.tax_rate = '0.19';
  await world.run(0, OPERATIONS);
  clock.advance(40 * 86_400_000);
  await world.settle();
  // Prices rise, and owners are notified.
  for (const plan of catalog.plans) plan.price_monthly = priceIn(catalog.currency, '99.00');
  await new PriceNotices(world.services, new Failures(world.services)).run();
  assert.deepEqual((await audit(db, clock)).findings, []);

  const prng = new Prng(`${SEED}/mutations`);
  const figures = await figuresOf(db);
  assert.ok(figures.some(({ column }) => column === 'price_notice_minor'));
  const laws = new Map<string, number>();
  const missed: string[] = [];
  let turn = 0;
  for (let number = 0; number < MUTATIONS; number++) {
    // Each column in turn, then all over again.
    let mutation: Mutation | undefined;
    while (!mutation) mutation = await mutate(db, prng, figures[turn++ % figures.length]!);
    const { findings } = await audit(db, clock);
    if (findings.length === 0) missed.push(mutation.description);
    for (const law of new Set(findings.map((finding) => finding.law)))
      laws.set(law, (laws.get(law) ?? 0) + 1);
    await mutation.undo();
  }
  t.diagnostic(`${MUTATIONS - missed.length} of ${MUTATIONS} found, in ${figures.length} columns`);
  for (const [law, count] of laws) t.diagnostic(`${count}: ${law}`);
  assert.deepEqual(missed, []);
  assert.deepEqual((await audit(db, clock)).findings, [], 'as it was before');
});
