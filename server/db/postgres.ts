import postgres from 'postgres';
import { runCallbacks } from './after-commit.ts';
import type { Database, Queryable, Transaction } from './database.ts';
import { PARSERS, SERIALIZERS } from './values.ts';

/** Connections a node holds. Statements are pipelined over them, so more does not mean faster. */
const POOL_SIZE = 8;
/** How long a closing node waits for statements under way. Seconds. */
const CLOSE_TIMEOUT = 5;
/** Tells postgres.js to write a parameter as the type that the server asks for, not as one it guesses. */
const TYPE_OF_THE_STATEMENT = 0;

/** Our codecs in the shape that postgres.js wants; the types that only one side knows keep its default. */
const TYPES = Object.fromEntries(
  Object.entries(PARSERS)
    .filter(([id]) => Number(id) in SERIALIZERS)
    .map(([id, parse]) => [
      id,
      { to: Number(id), from: [Number(id)], parse, serialize: SERIALIZERS[Number(id)] },
    ]),
) as never;

type Runner = Pick<postgres.Sql, 'unsafe' | 'typed'>;

function queryable(runner: Runner): Queryable {
  return {
    async query<Row extends object>(statement: { text: string; values: unknown[] }) {
      const values = statement.values.map((value) => runner.typed(value ?? null, TYPE_OF_THE_STATEMENT));
      // Not the simple protocol, not even without parameters: it would run several statements in one text.
      const options = { prepare: true, simple: false };
      const rows = await runner.unsafe<Row[]>(statement.text, values as never[], options);
      return [...rows] as unknown as Row[];
    },
  };
}

/** Connects to a PostgreSQL server, 15 or newer. */
export function openPostgres(url: string): Database {
  const client = postgres(url, {
    max: POOL_SIZE,
    types: TYPES,
    onnotice: () => {},
    connection: { application_name: 'vauban', TimeZone: 'UTC' },
  });
  return {
    engine: 'postgres',
    query: queryable(client).query,
    async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
      const callbacks: (() => void)[] = [];
      const result = await client.begin((tx) =>
        work({ query: queryable(tx).query, afterCommit: (callback) => void callbacks.push(callback) }),
      );
      runCallbacks(callbacks);
      return result as T;
    },
    async reserve() {
      const connection = await client.reserve();
      return { query: queryable(connection).query, release: () => connection.release() };
    },
    async script(text) {
      // A script may open a transaction of its own, which a pooled connection must not be asked to do; what a
      // failed one left open must not be handed to the connection's next user.
      const connection = await client.reserve();
      try {
        const result = await connection.unsafe(text).simple();
        return [result].flat(2) as unknown as Record<string, unknown>[];
      } catch (error) {
        await connection.unsafe('rollback').simple();
        throw error;
      } finally {
        connection.release();
      }
    },
    async listen(channel, listener) {
      const { unlisten } = await client.listen(channel, listener);
      return unlisten;
    },
    close: () => client.end({ timeout: CLOSE_TIMEOUT }),
  };
}
