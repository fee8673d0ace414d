import { postgresServers } from '../platform/postgres-address.ts';
import { runCallbacks } from './after-commit.ts';
import type { OutageLog } from './away.ts';
import type { Database } from './database.ts';
import type { Connection } from './postgres-connection.ts';
import { Pool } from './postgres-pool.ts';
import { PostgresServers } from './postgres-servers.ts';
import { PostgresStatements } from './postgres-statements.ts';
import { PostgresTransaction } from './postgres-transaction.ts';
import { Watch } from './postgres-watch.ts';

/**
 * Connects to PostgreSQL 15 or newer: to the server that takes writes, among those in `url`. While there is none, every
 * request fails with {@link DatabaseAwayError}: at once, or within two seconds if the outage has yet to be detected.
 */
export function openPostgres(url: string, log?: OutageLog): Database {
  const servers = new PostgresServers(postgresServers(url) ?? [url]);
  const open = () => {
    watch.start();
    return servers.open();
  };
  const pool = new Pool(open);
  const watch = new Watch({
    open: (signal) => servers.open(signal),
    connections: pool.connections,
    onAway(error) {
      if (pool.refuse(error)) log?.onAway(error);
    },
    onBack() {
      if (pool.resume()) log?.onBack();
    },
  });
  const statements = new PostgresStatements();
  const alone = async <T>(work: (connection: Connection) => Promise<T>): Promise<T> => {
    const connection = await pool.lend();
    return work(connection).finally(() => pool.giveBack(connection));
  };
  return {
    engine: 'postgres',
    query: (statement) => pool.share((connection) => statements.runAlone(connection, statement)),
    async transaction(work) {
      const { result, callbacks } = await alone((connection) =>
        PostgresTransaction.run(connection, statements, work),
      );
      runCallbacks(callbacks);
      return result;
    },
    batch: (all) => alone((connection) => statements.runAllAlone(connection, all)),
    async reserve() {
      const connection = await pool.lend();
      return {
        query: (statement) => statements.runAlone(connection, statement),
        release: () => pool.giveBack(connection),
        discard: () => connection.lose(new Error('its session was discarded')),
      };
    },
    script: (text, { ddl = false } = {}) =>
      alone((connection) => runScript(connection, text)).finally(() => {
        if (ddl) statements.forget();
      }),
    listen: (channel, hear, onGap = () => {}) => watch.listen(channel, { hear, onGap }),
    async check() {
      await pool.share((connection) => statements.runAlone(connection, { text: 'select 1', values: [] }));
    },
    async close() {
      await watch.close();
      await pool.close();
    },
  };
}

async function runScript(connection: Connection, text: string): Promise<Record<string, unknown>[]> {
  try {
    const results: unknown = await connection.send({ text });
    return [results].flat().flatMap((result) => (result as { rows: Record<string, unknown>[] }).rows);
  } catch (error) {
    // A transaction that a failed script left open must not reach the connection's next user.
    await connection.send({ text: 'rollback' }).catch((cause) => connection.lose(cause));
    throw error;
  }
}
