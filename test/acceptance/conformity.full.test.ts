// Runs on the embedded engine only: test/db/lock-order.full.test.ts runs it on PostgreSQL, where it watches every transaction.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { PROBED } from './probes.ts';
import { agent } from './stories/agent.ts';
import { arrears } from './stories/arrears.ts';
import { consoles } from './stories/consoles.ts';
import { hourly } from './stories/hourly.ts';
import { idempotency } from './stories/idempotency.ts';
import { limits } from './stories/limits.ts';
import { pages } from './stories/pages.ts';
import { power, takeAway } from './stories/power.ts';
import { quickStart } from './stories/quick-start.ts';
import { orderOfChecks, provokeAll, setStage, whyNever } from './stories/refusals.ts';
import { shield } from './stories/shield.ts';
import { withTinyRegion } from './support/catalog.ts';
import { Coverage } from './support/coverage.ts';
import { ENGINE } from './support/engine.ts';
import { start } from './support/start.ts';
import { equip, newSubject, PLENTY } from './support/world.ts';

/** Real guests share this machine's processors. */
const STORIES_AT_ONCE = { simulator: true, qemu: 2, incus: 2 };

/**
 * Every operation of openapi.json with every documented outcome, from outside, on one installation. The client checks
 * each reply against the document, and in the end every documented outcome must have been seen. Refusals that are the
 * same for all operations are in operations.test.ts.
 */
test('conformity', { concurrency: STORIES_AT_ONCE[ENGINE] }, async (t) => {
  const coverage = new Coverage();
  const installation = await start(t, { env: await withTinyRegion(t), coverage });
  const { operator, client, machines } = installation;
  const own = await newSubject(operator, client);
  own.ids = await equip(own, 'own');

  await Promise.all([
    t.test('the quick start', async () => quickStart(await newSubject(operator, client), PLENTY)),
    t.test('an hour', async () => hourly(await newSubject(operator, client))),
    t.test('power and access', async () => power(await newSubject(operator, client))),
    t.test('the agent', async () => agent(await newSubject(operator, client))),
    t.test('taking away', async () => takeAway(await newSubject(operator, client))),
    t.test('consoles', async () => consoles(await newSubject(operator, client))),
    t.test('idempotency', () => idempotency(installation)),
    t.test('the shield', async () => shield(await newSubject(operator, client))),
  ]);
  await t.test('refusals by circumstances', async (t) => {
    const stage = await setStage(operator, machines, own);
    const refusals = await provokeAll(stage);
    t.diagnostic(`${refusals} refusals`);
    await orderOfChecks(stage);
  });
  await t.test('lists, page by page', () => pages(own));
  await t.test('arrears', async () => {
    await arrears(installation, operator, own);
  });
  await t.test('limits', () => limits(own));

  t.diagnostic(`${coverage.exchanges} exchanges, ${coverage.covered} documented outcomes seen on ${ENGINE}`);
  const circumstantial = coverage.missing().filter(([, outcome]) => !PROBED.includes(outcome));
  const unseen = Object.groupBy(circumstantial, (pair) => whyNever(...pair) ?? 'forgotten');
  const { forgotten = [], ...excused } = unseen;
  for (const [reason, pairs] of Object.entries(excused))
    t.diagnostic(`${pairs!.length} outcomes left out: ${reason}`);
  assert.deepEqual(
    forgotten.map((pair) => pair.join(' ')),
    [],
  );
});
