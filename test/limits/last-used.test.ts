import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Database, type Sql, sql } from '../../server/db/database.ts';
import { newCustomer } from '../chaos/support/customer.ts';
import { START, startInProcess } from '../chaos/support/in-process.ts';

/** Returns a database that records its changes in `writes`. */
function noting(db: Database, writes: string[]): Database {
  return {
    ...db,
    query<Row extends object>(statement: Sql) {
      if (/\b(insert into|update|delete from)\s/i.test(statement.text)) writes.push(statement.text);
      return db.query<Row>(statement);
    },
  };
}

test('the last use of a key is written occasionally, not with every request', async (t) => {
  const writes: string[] = [];
  const { clock, db, ...service } = await startInProcess(t, { watch: (db) => noting(db, writes) });
  const customer = await newCustomer(service);
  const lastUsed = async () => {
    const [key] = await db.query<{ at: Date | null }>(
      sql`select last_used_at as at from api_keys where id = ${customer.keyId}`,
    );
    return key!.at?.toISOString();
  };
  const keyWrites = () => writes.filter((text) => text.includes('api_keys')).length;
  const before = keyWrites();
  for (let second = 0; second < 10; second++) {
    for (let i = 0; i < 5; i++) assert.equal((await customer.send('GET', '/v1/vm')).status, 200);
    clock.advance(1_000);
  }
  assert.equal(keyWrites(), before);
  assert.equal(await lastUsed(), undefined);
  clock.advance(5_000);
  while ((await lastUsed()) === undefined) await new Promise(setImmediate);
  assert.equal(await lastUsed(), new Date(Date.parse(START) + 9_000).toISOString());
  assert.equal(keyWrites(), before + 1);
});
