import assert from 'node:assert/strict';
import { test } from 'node:test';
import { depth } from '../support/depth.ts';
import { History } from './history.ts';

// The histories are the same each time, so only a change of the code can make them fail. For other histories:
//   ORACLE_SEED=$RANDOM npm test -- test/oracle --db pglite
const SEED = process.env.ORACLE_SEED ?? 'vauban';
/** The end of a long month; the year and a half from then includes a leap day. */
const START = '2027-01-29T10:11:12.345Z';
const MONTHS = Number(process.env.ORACLE_MONTHS ?? depth(1, 18));

for (const currency of ['EUR', 'JPY', 'HUF', 'KWD']) {
  test(`${MONTHS} months in ${currency}: the API shows what prices and seconds come to`, async (t) => {
    const seed = `${SEED}/${currency}`;
    const history = await History.open(t, { seed, currency, start: START });
    for (let month = 0; month < MONTHS; month++) await history.month();
    await history.compareAll();
    const { compared, found, fields } = history.differences;
    t.diagnostic(
      `seed ${SEED}, until ${new Date(history.now).toISOString()}: ${compared} comparisons of ${fields.size} fields, ${found.length} differences`,
    );
    t.diagnostic(history.told());
    assert.deepEqual(found.slice(0, 20), [], `ORACLE_SEED=${SEED}`);
  });
}
