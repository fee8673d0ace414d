import { systemClock } from '../platform/clock.ts';
import { runCallbacks } from './after-commit.ts';
import { DatabaseAwayError } from './away.ts';
import type { Connection } from './postgres-connection.ts';

/** Interval at which the server is polled. */
const BEAT_MS = 300;
/** Delay before an absent server is tried again. */
const RETRY_MS = 250;
/**
 * A server that has not answered a trivial query by then counts as away. Counted in turns of this process, so that a
 * stall of the process or the machine is not mistaken for the server's.
 */
const TURN_MS = 100;
const SILENT_TURNS = 15;
/** If a statement takes longer, the server is asked whether it is still working on it. */
const LATE_MS = 1_000;
/**
 * The connection of a late statement is dropped once the server has known nothing about the statement this many times
 * in a row: about four seconds. A server process starved of CPU time has not read its statement yet, and looks the same
 * for a while.
 */
const UNKNOWN_ASKS = 13;

const SILENT = 'the database does not answer';

interface Listener {
  hear: (payload: string) => void;
  /** Called when notifications may have been missed. */
  onGap: () => void;
}

export interface WatchParts {
  open(signal: AbortSignal): Promise<Connection>;
  connections: Iterable<Connection>;
  onAway(error: DatabaseAwayError): void;
  onBack(): void;
}

/**
 * Keeps its own connection, which receives notifications and polls the server. A statement may take as long as the
 * server works on it. A statement that the server knows nothing about, or a silent server, is abandoned within seconds;
 * the network's own timeout would be a quarter of an hour.
 */
export class Watch {
  readonly #parts: WatchParts;
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #closed = new AbortController();
  /** True if the server has ever answered; until then it may be slow. */
  #known = false;
  /** Connections whose statement was unknown to the server at the last poll, with how many times in a row. */
  #suspects = new Map<Connection, number>();
  #connection: Connection | undefined;
  #running: Promise<void> | undefined;
  #met = Promise.withResolvers<void>();

  constructor(parts: WatchParts) {
    this.#parts = parts;
    this.#met.promise.catch(() => {});
  }

  /** Begins to watch; does nothing if called again. */
  start(): void {
    this.#running ??= this.#run();
  }

  /** Calls `listener` for each notification on `channel` from now on, across reconnects. */
  async listen(channel: string, listener: Listener): Promise<() => Promise<void>> {
    this.start();
    const listeners = this.#listeners.get(channel) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(channel, listeners);
    const stop = async () => {
      listeners.delete(listener);
      if (listeners.size > 0 || this.#listeners.get(channel) !== listeners) return;
      this.#listeners.delete(channel);
      await this.#connection?.send({ text: `unlisten ${quoted(channel)}` }).catch(() => {});
    };
    try {
      await this.#met.promise;
      // Without a connection now, the next one starts by listening on all channels.
      await this.#connection?.send({ text: `listen ${quoted(channel)}` });
    } catch (error) {
      await stop();
      throw error;
    }
    return stop;
  }

  async close(): Promise<void> {
    this.#closed.abort();
    this.#connection?.lose(new Error('the database is closed'));
    await this.#running;
  }

  async #run(): Promise<void> {
    const { signal } = this.#closed;
    while (!signal.aborted) {
      try {
        const connection = await this.#connect();
        await this.#keep(connection);
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof DatabaseAwayError)) process.emitWarning(error as Error);
      }
    }
  }

  /** Connects, retrying until it succeeds, and listens again on all channels. */
  async #connect(): Promise<Connection> {
    const { signal } = this.#closed;
    for (;;) {
      try {
        const opening = this.#parts.open(signal);
        if (!(await this.#answers(opening)) && this.#known) this.#parts.onAway(new DatabaseAwayError(SILENT));
        const connection = await opening;
        this.#connection = connection;
        connection.onNotification((channel, payload) => this.#hear(channel, payload));
        for (const channel of this.#listeners.keys())
          await connection.send({ text: `listen ${quoted(channel)}` });
        return connection;
      } catch (error) {
        if (signal.aborted) throw error;
        const away =
          error instanceof DatabaseAwayError ? error : new DatabaseAwayError(String(error), { cause: error });
        this.#parts.onAway(away);
        this.#met.reject(away);
        this.#met = Promise.withResolvers();
        this.#met.promise.catch(() => {});
        await systemClock.sleep(RETRY_MS, signal);
      }
    }
  }

  /** Polls a connection for as long as it answers. */
  async #keep(connection: Connection): Promise<void> {
    const { signal } = this.#closed;
    const gone = new AbortController();
    connection.onLost = () => gone.abort();
    this.#known = true;
    // Another server has the database now, so answers from the former one can no longer be trusted.
    for (const other of [...this.#parts.connections])
      if (other.server !== connection.server) other.lose(new Error('the database is on another server'));
    this.#parts.onBack();
    this.#met.resolve();
    for (const listeners of this.#listeners.values()) runCallbacks([...listeners].map(({ onGap }) => onGap));
    try {
      while (!connection.lost && !signal.aborted) {
        await systemClock.sleep(BEAT_MS, AbortSignal.any([signal, gone.signal])).catch(() => {});
        if (connection.lost || signal.aborted) return;
        await this.#beat(connection);
      }
    } finally {
      this.#connection = undefined;
      if (signal.aborted) connection.lose(new Error('the database is closed'));
    }
  }

  async #beat(connection: Connection): Promise<void> {
    const due = performance.now() - LATE_MS;
    const late = [...this.#parts.connections].filter(({ waitingSince = due }) => waitingSince < due);
    const asked = connection.send<{ pid: number }>(stillBusy(late));
    if (!(await this.#answers(asked))) {
      const error = new DatabaseAwayError(SILENT);
      this.#parts.onAway(error);
      connection.lose(error);
    }
    const { rows } = await asked;
    const busy = new Set(rows.map(({ pid }) => pid));
    const unknown = late.filter(({ pid }) => !busy.has(pid));
    this.#suspects = new Map(unknown.map((one) => [one, (this.#suspects.get(one) ?? 0) + 1]));
    for (const [suspect, asks] of this.#suspects)
      if (asks >= UNKNOWN_ASKS) suspect.lose(new Error('the server knows nothing of its statement'));
  }

  /**
   * Returns whether the server answers in time, with anything at all. Silence only returns false; the answer may still
   * arrive.
   */
  async #answers(answer: Promise<unknown>): Promise<boolean> {
    const { signal } = this.#closed;
    let answered = false;
    const note = () => {
      answered = true;
    };
    const settled = answer.then(note, note);
    for (let turn = 0; turn < SILENT_TURNS && !answered && !signal.aborted; turn++) {
      const over = new AbortController();
      await Promise.race([settled, systemClock.sleep(TURN_MS, over.signal).catch(() => {})]);
      over.abort();
    }
    return answered;
  }

  #hear(channel: string, payload: string): void {
    const listeners = [...(this.#listeners.get(channel) ?? [])];
    runCallbacks(
      listeners.map(
        ({ hear }) =>
          () =>
            hear(payload),
      ),
    );
  }
}

/** Returns the query for the backends of `late` that are busy. */
function stillBusy(late: Connection[]) {
  if (late.length === 0) return { name: 'beat', text: 'select 0 as pid' };
  return {
    name: 'busy',
    text: `select pid from pg_stat_activity where pid = any($1::int[]) and state not like 'idle%'`,
    values: [`{${late.map(({ pid }) => pid)}}`],
  };
}

const quoted = (channel: string) => `"${channel.replaceAll('"', '""')}"`;
