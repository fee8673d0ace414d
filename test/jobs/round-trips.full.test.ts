import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { one, sql } from '../../server/db/database.ts';
import { newCustomer } from '../chaos/support/customer.ts';
import { startInProcess } from '../chaos/support/in-process.ts';
import { countPostgres } from '../db/support/counted-postgres.ts';
import { defer } from '../support/cleanup.ts';
import { engine, freshDatabaseLocation } from '../support/database.ts';

const ORDER = { plan: 's1', template: 'debian-12', hostname: 'web-1', password: 'correct-Horse-7' };
/** Bought before the counting begins, because each connection prepares a statement when it first runs it. */
const WARM_UP = 12;
const BOUGHT = 8;
/** Bounds for a purchase and the job that creates its VM, including the statements of the limits. */
const MAXIMUM = { roundTrips: 20, statements: 64 };
/** Round trips of the job to the simulated engine, which keeps its state in the database. */
const OF_ENGINE = 8;
/** Health checks of the server, which run on their own clock. */
const BESIDE = /^select \d as pid/i;

test('buying and creating a VM takes few round trips to the database', {
  skip: engine === 'pglite' && 'the embedded engine is not at the end of a network',
}, async (t) => {
  const location = await freshDatabaseLocation(t);
  const counted = await countPostgres(t, location.env.DATABASE_URL!, BESIDE);
  // The clock stands still, so that nothing else in the service interferes.
  const service = await startInProcess(t, { location, env: { DATABASE_URL: counted.url } });
  const direct = await location.open();
  defer(t, () => direct.close());
  const customer = await newCustomer(service, { limits: { vms: WARM_UP + BOUGHT } });
  const hasEnded = async (id: string) => {
    const job = await one<{ ended: boolean }>(
      direct,
      sql`select status = 'succeeded' as ended from jobs where id = ${id}`,
    );
    return job.ended && counted.isQuiet();
  };
  const buy = async (count: number) => {
    for (let n = 0; n < count; n++) {
      const { job } = await customer.ask('POST', '/v1/vm', ORDER);
      while (!(await hasEnded(job.id))) await sleep(10);
    }
  };
  await buy(WARM_UP);
  counted.reset();
  await buy(BOUGHT);
  const each = { roundTrips: counted.roundTrips / BOUGHT, statements: counted.statements.length / BOUGHT };
  t.diagnostic(
    `${each.roundTrips} round trips, ${OF_ENGINE} of them the engine's, ${each.statements} statements a VM`,
  );
  const ofEngine = counted.statements.filter((text) => text.includes(' simulator_')).length / BOUGHT;
  assert.equal(ofEngine, OF_ENGINE);
  assert.ok(each.roundTrips - OF_ENGINE <= MAXIMUM.roundTrips, `${each.roundTrips} round trips`);
  assert.ok(each.statements <= MAXIMUM.statements, counted.statements.join('\n'));
});
