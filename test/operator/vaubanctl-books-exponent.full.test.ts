import assert from 'node:assert/strict';
import { userInfo } from 'node:os';
import { type TestContext, test } from 'node:test';
import { sql } from '../../server/db/database.ts';
import { type DatabaseLocation, freshDatabaseLocation } from '../support/database.ts';
import { failingStart, WRONG_CONFIGURATION } from '../support/failing-start.ts';
import { startService } from '../support/service.ts';
import { vaubanctl } from './vaubanctl.ts';

/** Changes rows that the store refuses to change, like a superuser, while no service runs. */
async function unguarded(location: DatabaseLocation, statement: ReturnType<typeof sql>): Promise<void> {
  const db = await location.open();
  try {
    await db.transaction(async (tx) => {
      await tx.query(sql`set local session_replication_role = replica`);
      await tx.query(statement);
    });
  } finally {
    await db.close();
  }
}

/** A service with its demo account, restarted on books without a record of their decimals. */
async function restartUncounted(t: TestContext, location: DatabaseLocation) {
  const first = await startService(t, { location });
  const key = first.demoKey!;
  await first.stop();
  await unguarded(location, sql`delete from books`);
  const service = await startService(t, { location });
  const quote = async () => {
    const headers = { authorization: `Bearer ${key}` };
    const url = `${service.baseUrl}/v1/vm/custom-quote?vcpu=1&ram_mb=1024&disk_gb=20`;
    return (await fetch(url, { headers })).status;
  };
  return { service, quote };
}

test('a service whose books have an unknown exponent starts, charges nothing, and is corrected by an answer', async (t) => {
  const location = await freshDatabaseLocation(t);
  const { service, quote } = await restartUncounted(t, location);
  const ctl = (...args: string[]) => vaubanctl(location.env.VAUBAN_DATA_DIR, ...args);
  assert.equal(await quote(), 503);
  assert.match(service.output(), /vaubanctl books exponent/);

  const shown = await ctl('books', 'exponent');
  assert.equal(shown.code, 0, shown.stderr);
  assert.match(shown.stdout, /^ISO 4217: +2 decimals\nbooks: +not known\nrecorded: +never$/m);
  assert.match(shown.stdout, /WITH 2 DECIMALS +WITH NO DECIMALS\npay_.* 100\.00 EUR +10000 EUR$/m);
  assert.match(shown.stderr, /paused.*vaubanctl books exponent 2/);
  assert.equal((await ctl('audit')).code, 1);
  const wrong = await ctl('books', 'exponent', '0');
  assert.deepEqual([wrong.code, wrong.stdout], [1, '']);
  assert.match(wrong.stderr, /counts EUR with 2 decimals/);
  assert.match((await ctl('books', 'exponent', 'two')).stderr, /0 to 4/);
  assert.equal(await quote(), 503);

  const answered = await ctl('books', 'exponent', '2');
  assert.equal(answered.code, 0, answered.stderr);
  assert.match(answered.stdout, new RegExp(`books: +2 decimals\\nrecorded: +\\S+ by ${userInfo().username}`));
  assert.equal(await quote(), 200);
  assert.match((await ctl('audit')).stderr, /no findings/);
  await service.stop();

  await unguarded(location, sql`update books set exponent = 0`);
  const { status, stderr } = await failingStart(location, {});
  assert.equal(status, WRONG_CONFIGURATION, stderr);
  assert.match(stderr, /^catalog: this release counts EUR with 2 decimals \(ISO 4217\), but the books/m);
});
