import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Database, DatabaseAwayError } from '../../server/db/database.ts';
import { newCustomer } from '../chaos/support/customer.ts';
import { startInProcess } from '../chaos/support/in-process.ts';

/** Returns a database that loses the reply to a job's first claim. */
function losingAnAnswer(db: Database, onLost: () => void): Database {
  let lost = false;
  return {
    ...db,
    async batch(statements) {
      const rows = await db.batch(statements);
      if (lost || !statements.some(({ text }) => /epoch = epoch \+ 1/.test(text))) return rows;
      lost = true;
      onLost();
      throw new DatabaseAwayError('the connection was lost', { outcomeUnknown: true });
    },
  };
}

test('a job whose claim was committed without an answer is not left with a node that does not run it', async (t) => {
  let lost = false;
  const { clock, ...service } = await startInProcess(t, {
    watch: (db) =>
      losingAnAnswer(db, () => {
        lost = true;
      }),
  });
  const customer = await newCustomer(service);
  const order = { plan: 's1', template: 'debian-12', hostname: 'web-1' };
  const { vm } = await customer.ask('POST', '/v1/vm', order);
  // Adoption takes less than two minutes of its rounds.
  let status = 'provisioning';
  for (let second = 0; second < 120 && status === 'provisioning'; second++) {
    clock.advance(1_000);
    await sleep(20);
    ({ status } = await customer.ask('GET', `/v1/vm/${vm.id}`));
  }
  assert.ok(lost, 'the answer to a claim was lost');
  assert.equal(status, 'running');
});
