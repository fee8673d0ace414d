import pg from 'pg';
import { systemClock } from '../platform/clock.ts';
import { DatabaseAwayError, fromRefusal } from './away.ts';
import { Execution, ExecutionGroup, type KnownColumns, type PreparedRun } from './postgres-execution.ts';
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

/** Asks for the types of a statement's parameters and leaves the statement prepared, where `pg` would run it. */
class Description extends pg.Query {
  readonly #statement: { name: string; text: string };

  constructor(statement: { name: string; text: string }, callback: (error: Error | undefined) => void) {
    super(statement, callback);
    this.#statement = statement;
  }

  /** Called by `pg` for what it sends of a query. */
  prepare(connection: pg.Connection): void {
    const { name, text } = this.#statement;
    connection.parse({ name, text, types: [] }, false);
    connection.describe({ type: 'S', name }, false);
    connection.sync();
  }
}

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
  readonly #columns: KnownColumns = new Map();
  #progressAt = 0;
  #runs = 0;
  #replanAt = FIRST_REPLAN;
  #gathering = false;
  #describing: Promise<unknown> = Promise.resolve();

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
    return this.#submit<pg.QueryResult<Row>>((done) => new pg.Query<Row>(query, done as never));
  }

  /** Runs a prepared statement, which is prepared first where this connection has not run it yet. */
  run<Row extends object>(prepared: PreparedRun): Promise<Row[]> {
    this.#countRuns(1);
    return this.#submit<Row[]>((done) => new Execution<Row>(prepared, this.#columns, done));
  }

  /** The same for several, of which none is done where one before it fails; an answer each. */
  runTogether(prepared: readonly PreparedRun[]): Promise<object[]>[] {
    if (prepared.length === 0) return [];
    if (this.lost) return prepared.map(() => Promise.reject(this.lost));
    this.#countRuns(prepared.length);
    this.#gather();
    const answers: Promise<object[]>[] = [];
    const runs = prepared.map((run) => {
      const { answer, done } = this.#expect<object[]>();
      answers.push(answer);
      return new Execution<object>(run, this.#columns, done);
    });
    this.#client.query(new ExecutionGroup(runs));
    return answers;
  }

  /** Prepares a statement under `name`; the types of its parameters. */
  describe(name: string, text: string): Promise<number[]> {
    // One at a time: the answer does not say whose it is.
    const described = this.#describing.then(async () => {
      const { connection } = this.#client;
      let found: number[] = [];
      const onTypes = ({ dataTypeIDs }: { dataTypeIDs: number[] }) => {
        found = dataTypeIDs;
      };
      connection.on('parameterDescription', onTypes);
      try {
        await this.#submit((done) => new Description({ name, text }, done as never));
      } finally {
        connection.off('parameterDescription', onTypes);
      }
      return found;
    });
    this.#describing = described.catch(() => {});
    return described;
  }

  /** Gives up a prepared statement. In a transaction that has failed it stays, which only costs memory. */
  forget(name: string): void {
    this.#columns.delete(name);
    this.send({ text: `deallocate ${name}` }).catch(() => {});
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

  #submit<Result>(
    make: (done: (error: Error | undefined, result: Result) => void) => pg.Submittable,
  ): Promise<Result> {
    if (this.lost) return Promise.reject(this.lost);
    this.#gather();
    const { answer, done } = this.#expect<Result>();
    this.#client.query(make(done));
    return answer;
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
