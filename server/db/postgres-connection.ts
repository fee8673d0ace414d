import pg from 'pg';
import { systemClock } from '../platform/clock.ts';
import { DatabaseAwayError, fromRefusal } from './away.ts';
import { Batch, type BatchEntry, type KnownStatement } from './postgres-batch.ts';
import { PARSERS } from './values.ts';

/**
 * Timeouts are counted in turns of this process. So an answer that arrived while the process was busy, for example
 * compiling at start, is read before the timeout ends.
 */
const TURN_MS = 100;
/** A second: any network that responds at all does so by then. */
const REACH_TURNS = 10;
/**
 * From the first byte to the first statement, ten seconds: a busy server may take a while to start a process for us.
 */
const GREET_TURNS = 100;
/**
 * Set on every connection, because a node that vanishes silently must not keep its locks. The server detects a dead
 * connection after some seconds instead of the system's default of two hours, and ends a transaction that sits idle: it
 * may hold a row that another customer's statement, and all statements behind it on that connection, wait for. Our
 * transactions wait only for the database, so ten seconds are plenty.
 */
const SETTINGS: Record<string, string> = {
  TimeZone: 'UTC',
  tcp_keepalives_idle: '5',
  tcp_keepalives_interval: '2',
  tcp_keepalives_count: '3',
  tcp_user_timeout: '10000',
  idle_in_transaction_session_timeout: '10000',
};
/**
 * After this many statements, and each time the count has doubled since, a connection discards its plans. A plan is
 * made for the tables at that time, and one made when they were almost empty scans a whole table forever: the server
 * notices only once autovacuum has run.
 */
const FIRST_REPLAN = 200;
/**
 * Number of statements that a connection prepares in its lifetime. The service has fewer, except after table changes;
 * see `test/db/lock-order.full.test.ts`. Each takes a few kilobytes on the server.
 */
const MAX_PREPARED = 1_000;
/**
 * A standby is rejected because the service must write. A server that is merely set to read-only refuses the writes
 * itself.
 */
const SET_UP = `select pg_backend_pid() as pid, pg_is_in_recovery() as is_standby, ${Object.entries(SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ')}`;

const plain = (text: string) => text;
const types = { getTypeParser: (type: number) => PARSERS[type] ?? plain } as pg.CustomTypesConfig;

/** Gives `sslmode` in the URL the meaning it has in libpq; `pg` has its own. */
function likeLibpq(url: string): string {
  const address = new URL(url);
  if (address.searchParams.has('sslmode')) address.searchParams.set('uselibpqcompat', 'true');
  return address.href;
}

/** A statement that each connection prepares when it first runs there. Distinguished from others by identity. */
export interface Statement {
  readonly text: string;
}

export interface Run {
  statement: Statement;
  /** Parameters as text, in the format of the statement's types. */
  values: (string | null)[];
}

/** Reads the parameter types of a prepared statement, because `pg` cannot request the server's own description. */
const TYPES: Statement = {
  text: 'select parameter_types::oid[]::int[] as types from pg_prepared_statements where name = $1',
};

/** A connection to the server: statements are sent as they arrive, each with its own Sync, and answered in order. */
export class Connection {
  /** Process id of the backend that serves this connection. */
  pid = 0;
  /** Number of statements sent but not yet answered. */
  inFlight = 0;
  /** Why the connection is unusable; undefined while it works. */
  lost: DatabaseAwayError | undefined;
  onLost: () => void = () => {};
  /** The server's URL. */
  readonly server: string;
  readonly #client: pg.Client;
  readonly #known = new WeakMap<Statement, KnownStatement>();
  #prepared = 0;
  #progressAt = 0;
  #runs = 0;
  #replanAt = FIRST_REPLAN;
  #gathering = false;

  private constructor(url: string) {
    this.server = url;
    this.#client = new pg.Client({
      connectionString: likeLibpq(url),
      fallback_application_name: 'vauban',
      keepAlive: true,
      pipeline: true,
      types,
    });
    this.#client.on('error', (error) => this.#lose(error));
    this.#client.on('end', () => this.#lose(new Error('it was closed')));
  }

  /**
   * Connects, unless `signal` aborts. Throws {@link DatabaseAwayError} if that fails for any reason or if the server is
   * a standby.
   */
  static async open(url: string, signal?: AbortSignal): Promise<Connection> {
    const connection = new Connection(url);
    const reached = new AbortController();
    const greeted = new AbortController();
    connection.#client.connection.once('connect', () => reached.abort());
    const abandon = () => connection.lose(new Error('it was given up'));
    signal?.addEventListener('abort', abandon, { once: true });
    connection.#loseAfter(REACH_TURNS, reached.signal);
    connection.#loseAfter(GREET_TURNS, greeted.signal);
    try {
      await connection.#client.connect();
      const { rows } = await connection.send<{ pid: number; is_standby: boolean }>({ text: SET_UP });
      const { pid, is_standby: isStandby } = rows[0]!;
      if (isStandby) throw new Error('the server is a standby, which does not accept writes');
      connection.pid = pid;
      return connection;
    } catch (error) {
      connection.lose(error);
      throw connection.lost;
    } finally {
      reached.abort();
      greeted.abort();
      signal?.removeEventListener('abort', abandon);
    }
  }

  /**
   * Since when the connection has been waiting for an answer, in milliseconds of `performance.now()`; undefined if it
   * is not.
   */
  get waitingSince(): number | undefined {
    return this.inFlight > 0 ? this.#progressAt : undefined;
  }

  /** Runs a statement, or a script of several if it has no name and no values. */
  send<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    if (this.lost) return Promise.reject(this.lost);
    this.#gather();
    const { answer, done } = this.#expect<pg.QueryResult<Row>>();
    this.#client.query(new pg.Query<Row>(query, done as never));
    return answer;
  }

  /**
   * True if the connection has prepared so many statements that it should be closed once it is idle. Closing frees them
   * all, whereas a `deallocate` would have to know the current transaction and who still uses the name.
   */
  get isWorn(): boolean {
    return this.#prepared > MAX_PREPARED;
  }

  /** Runs a statement, which is prepared first if it is new to this connection. */
  run<Row extends object>(run: Run): Promise<Row[]> {
    return this.runTogether([run])[0] as Promise<Row[]>;
  }

  /** Runs statements; if one fails, the ones after it have no effect. Returns an answer for each. */
  runTogether(runs: readonly Run[]): Promise<object[]>[] {
    this.#countRuns(runs.length);
    return this.#submitBatch(runs);
  }

  /** Prepares a statement and returns the types of its parameters. */
  async describe(statement: Statement): Promise<number[]> {
    const [prepared] = this.#submitBatch([{ statement }]);
    const { name } = this.#known.get(statement) ?? {};
    const described = this.run<{ types: number[] }>({ statement: TYPES, values: [name ?? null] });
    // If this one fails, the error from preparing says more.
    described.catch(() => {});
    await prepared;
    return (await described)[0]!.types;
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on('notification', ({ channel, payload = '' }) => listener(channel, payload));
  }

  /** Breaks the connection, and fails everything that waits for an answer on it. */
  lose(cause: unknown): void {
    this.#lose(cause);
    this.#client.connection.stream.destroy();
  }

  /** Closes the connection once all pending statements are answered. */
  async close(): Promise<void> {
    if (this.lost) return;
    await this.#client.end();
  }

  #lose(cause: unknown): void {
    if (this.lost) return;
    this.lost =
      cause instanceof DatabaseAwayError
        ? cause
        : new DatabaseAwayError(`the connection to the database was lost: ${reasonOf(cause)}`, { cause });
    this.onLost();
  }

  #countRuns(count: number): void {
    this.#runs += count;
    if (this.#runs < this.#replanAt) return;
    this.#replanAt = 2 * this.#runs;
    // Refused in a failed transaction; the plans then stay until the next time.
    this.send({ text: 'discard plans' }).catch(() => {});
  }

  async #loseAfter(turns: number, signal: AbortSignal): Promise<void> {
    for (let turn = 0; turn < turns; turn++) {
      await systemClock.sleep(TURN_MS, signal).catch(() => {});
      if (signal.aborted) return;
    }
    this.lose(new Error(`no answer within ${turns * TURN_MS} ms`));
  }

  #submitBatch(runs: readonly (Pick<Run, 'statement'> & Partial<Run>)[]): Promise<object[]>[] {
    if (runs.length === 0) return [];
    if (this.lost) return runs.map(() => Promise.reject(this.lost));
    this.#gather();
    const answers: Promise<object[]>[] = [];
    const entries = runs.map(({ statement, values }): BatchEntry => {
      const { answer, done } = this.#expect<object[]>();
      answers.push(answer);
      const known = this.#known.get(statement);
      if (known) return { statement: known, parse: undefined, values, done };
      const added: KnownStatement = { name: `s${++this.#prepared}`, columns: undefined };
      this.#known.set(statement, added);
      const doneFirst: typeof done = (error, rows) => {
        // The server may not have prepared it. If it has, the statement counts twice, which is harmless.
        if (error && this.#known.get(statement) === added) this.#known.delete(statement);
        done(error, rows);
      };
      return { statement: added, parse: statement.text, values, done: doneFirst };
    });
    this.#client.query(new Batch(entries));
    return answers;
  }

  /**
   * Everything sent in one turn goes out in one write: the system call costs more than the bytes of a short statement.
   */
  #gather(): void {
    if (this.#gathering) return;
    this.#gathering = true;
    const { stream } = this.#client.connection;
    stream.cork();
    process.nextTick(() => {
      this.#gathering = false;
      stream.uncork();
    });
  }

  /** Registers one more expected answer. Returns its promise and the callback that settles it. */
  #expect<Result>(): {
    answer: Promise<Result>;
    done: (error: Error | undefined, result: Result) => void;
  } {
    if (this.inFlight++ === 0) this.#progressAt = performance.now();
    const { promise: answer, resolve, reject } = Promise.withResolvers<Result>();
    const done = (error: Error | undefined, result: Result) => {
      this.inFlight--;
      this.#progressAt = performance.now();
      // The server closes the connection after such an error, which says nothing about the statement.
      if (error && isFatal(error)) this.lose(error);
      if (error) reject(this.lost ?? fromRefusal(error));
      else resolve(result);
    };
    return { answer, done };
  }
}

function isFatal(error: Error & { severity?: string }): boolean {
  return error.severity === 'FATAL' || error.severity === 'PANIC';
}

/** The error of a failed attempt on several addresses has no message of its own. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}
