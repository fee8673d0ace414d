import pg from 'pg';
import { systemClock } from '../platform/clock.ts';
import { DatabaseAwayError, fromRefusal } from './away.ts';
import { Batch, type BatchEntry, type KnownStatement } from './postgres-batch.ts';
import { PARSERS } from './values.ts';

/**
 * Patience is counted in turns of this process, so that an answer which came while it was busy, as a start is that still
 * compiles, is read before it is missed.
 */
const TURN_MS = 100;
/** A network that answers at all does so by then: a second. */
const REACH_TURNS = 10;
/** From the first byte to the first statement, ten seconds: a busy server may take its time to start a process for us. */
const GREET_TURNS = 100;
/**
 * Set on every connection. A node that vanishes without a word must not keep its locks: the server looks for it after
 * some seconds, instead of the two hours that are the system's own choice, and ends a transaction that waits for its next
 * statement: it may hold the row that another customer's statement, and all behind it on that connection, wait for. No
 * transaction of ours waits for anything but the database, so ten seconds are plenty.
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
 * After so many statements of a connection, and each time that it has run twice as many as then, it plans them anew. A plan is
 * made for the tables as they are, and one from when they were almost empty reads all of a table ever after: the server
 * notices only once autovacuum has been there.
 */
const FIRST_REPLAN = 200;
/**
 * Statements that a connection prepares in its life. The service has fewer, except after changes of tables; see
 * `test/db/lock-order.full.test.ts`. A few kilobytes each on the server.
 */
const MAX_PREPARED = 1_000;
/** A standby is of no use to a service that writes; what is set to read only refuses writes by itself. */
const SET_UP = `select pg_backend_pid() as pid, pg_is_in_recovery() as is_standby, ${Object.entries(SETTINGS)
  .map(([name, value]) => `set_config('${name}', '${value}', false)`)
  .join(', ')}`;

const plain = (text: string) => text;
const types = { getTypeParser: (type: number) => PARSERS[type] ?? plain } as pg.CustomTypesConfig;

/** The server's own meaning of `sslmode` in the address, where `pg` has one of its own. */
function likeLibpq(url: string): string {
  const address = new URL(url);
  if (address.searchParams.has('sslmode')) address.searchParams.set('uselibpqcompat', 'true');
  return address.href;
}

/** A statement that connections prepare, each when it first runs there. Told apart from others by identity. */
export interface Statement {
  readonly text: string;
}

export interface Run {
  statement: Statement;
  /** Parameters as text, in the format of the statement's types. */
  values: (string | null)[];
}

/** Reads the types of a prepared statement's parameters: `pg` has no way to ask for the server's own description. */
const TYPES: Statement = {
  text: 'select parameter_types::oid[]::int[] as types from pg_prepared_statements where name = $1',
};

/** A connection to the server: statements are sent as they come, each with an end of its own, and answered in order. */
export class Connection {
  /** Of the server's process at the other end. */
  pid = 0;
  /** Statements sent and not answered. */
  inFlight = 0;
  /** Why the connection is of no use any more. */
  lost: DatabaseAwayError | undefined;
  onLost: () => void = () => {};
  /** The address of the server. */
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
   * Connects, unless `signal` aborts; {@link DatabaseAwayError} when that fails, for whatever reason, or the server is a
   * standby.
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
      if (isStandby) throw new Error('the server is a standby, which takes no writes');
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

  /** Since when, in milliseconds of `performance.now()`, an answer is due; undefined where none is. */
  get waitingSince(): number | undefined {
    return this.inFlight > 0 ? this.#progressAt : undefined;
  }

  /** Runs a statement, or without a name and values a script of several. */
  send<Row extends pg.QueryResultRow>(query: pg.QueryConfig): Promise<pg.QueryResult<Row>> {
    if (this.lost) return Promise.reject(this.lost);
    this.#gather();
    const { answer, done } = this.#expect<pg.QueryResult<Row>>();
    this.#client.query(new pg.Query<Row>(query, done as never));
    return answer;
  }

  /**
   * Whether the connection has prepared so many statements that it should be closed once nothing is under way on it. That
   * frees them all, where a `deallocate` would have to know which transaction it is in and who still uses the name.
   */
  get isWorn(): boolean {
    return this.#prepared > MAX_PREPARED;
  }

  /** Runs a statement, which is prepared first if this connection has not run it yet. */
  run<Row extends object>(run: Run): Promise<Row[]> {
    return this.runTogether([run])[0] as Promise<Row[]>;
  }

  /** Runs statements of which none takes effect if one before it fails. Returns an answer for each. */
  runTogether(runs: readonly Run[]): Promise<object[]>[] {
    this.#countRuns(runs.length);
    return this.#submitBatch(runs);
  }

  /** Prepares a statement and returns the types of its parameters. */
  async describe(statement: Statement): Promise<number[]> {
    const [prepared] = this.#submitBatch([{ statement }]);
    const { name } = this.#known.get(statement) ?? {};
    const described = this.run<{ types: number[] }>({ statement: TYPES, values: [name ?? null] });
    // Its failure says less.
    described.catch(() => {});
    await prepared;
    return (await described)[0]!.types;
  }

  onNotification(listener: (channel: string, payload: string) => void): void {
    this.#client.on('notification', ({ channel, payload = '' }) => listener(channel, payload));
  }

  /** Breaks the connection, and with it whatever waits for an answer on it. */
  lose(cause: unknown): void {
    this.#lose(cause);
    this.#client.connection.stream.destroy();
  }

  /** Ends the connection when what is under way is answered. */
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
    // In a transaction that has failed it is refused, and the plans stay until the next time.
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
        // The server may not have prepared it. If it has, it counts twice, which does no harm.
        if (error && this.#known.get(statement) === added) this.#known.delete(statement);
        done(error, rows);
      };
      return { statement: added, parse: statement.text, values, done: doneFirst };
    });
    this.#client.query(new Batch(entries));
    return answers;
  }

  /** What is sent in one turn goes out in one write: the system call costs more than a short statement's bytes. */
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

  /** One more answer that is waited for, and what to call when it is there. */
  #expect<Result>(): {
    answer: Promise<Result>;
    done: (error: Error | undefined, result: Result) => void;
  } {
    if (this.inFlight++ === 0) this.#progressAt = performance.now();
    const { promise: answer, resolve, reject } = Promise.withResolvers<Result>();
    const done = (error: Error | undefined, result: Result) => {
      this.inFlight--;
      this.#progressAt = performance.now();
      // The server ends the connection with such an error, which says nothing about the statement.
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

/** An error of several addresses that were tried has no message of its own. */
function reasonOf(error: unknown): string {
  const { message, code } = error as { message?: string; code?: string };
  return message || code || String(error);
}
