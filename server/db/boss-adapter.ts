import type { Db } from 'pg-boss';
import type { Database, Sql, Transaction } from './database.ts';

/**
 * Our database, or one of our transactions, as pg-boss wants it. Given to `boss.send(…, { db })`, a
 * transaction makes the job part of itself: rolled back with it, picked up once it has committed.
 */
export function bossDatabase(db: Database | Transaction): Db {
  const run = async (text: string, values: unknown[] = []) => {
    // pg-boss numbers its own placeholders, so there is no template to build the statement from.
    return { rows: await db.query({ text, values } as Sql) };
  };
  if (!('listen' in db)) return { executeSql: run };
  return {
    async executeSql(text, values) {
      // Without values it may be several statements, which only a script can be.
      return values?.length ? run(text, values) : { rows: await db.script(text) };
    },
    async listen(channel, onNotification, onReconnect) {
      const stop = await db.listen(channel, onNotification, onReconnect);
      onReconnect();
      return { close: stop };
    },
  };
}
