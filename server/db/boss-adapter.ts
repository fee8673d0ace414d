import type { Db } from 'pg-boss';
import type { Database, Sql, Transaction } from './database.ts';

// pg-boss numbers its own placeholders, so there is no template to build a statement from.
const statement = (text: string, values: unknown[] = []) => ({ text, values }) as Sql;

/** A transaction for `boss.send(…, { db })`: the job is part of it, rolled back with it, picked up once it has committed. */
export function bossTransaction(tx: Transaction): Db {
  return {
    async executeSql(text, values) {
      await tx.send(statement(text, values));
      // The queue's own id of the job, for which there is no use.
      return { rows: [] };
    },
  };
}

/** Our database as pg-boss wants it. */
export function bossDatabase(db: Database): Db {
  return {
    async executeSql(text, values) {
      // Without values it may be several statements, which only a script can be.
      return { rows: await (values?.length ? db.query(statement(text, values)) : db.script(text)) };
    },
    async listen(channel, onNotification, onReconnect) {
      const stop = await db.listen(channel, onNotification, onReconnect);
      onReconnect();
      return { close: stop };
    },
  };
}
