import { type Clock, systemClock } from '../platform/clock.ts';
import { DatabaseAwayError } from './away.ts';
import type { Connection } from './postgres-connection.ts';

/** Connections a node holds. Statements are pipelined over them, so more does not mean faster. */
const POOL_SIZE = 8;
/** Beyond it, a caller that waits for a connection is better refused than served. */
const WAIT_MS = 10_000;
/** How long a closing pool waits for statements under way. */
const CLOSE_MS = 5_000;

interface Waiter {
  alone: boolean;
  /** When it is refused, in milliseconds of the clock. */
  until: number;
  resolve: (connection: Connection) => void;
  reject: (error: unknown) => void;
}

/** The connections of a node: shared by single statements, lent to transactions and sessions. */
export class Pool {
  readonly #open: () => Promise<Connection>;
  readonly #clock: Clock;
  readonly #connections = new Set<Connection>();
  readonly #lent = new Set<Connection>();
  /** How many single statements each connection carries, from before they are sent until they are answered. */
  readonly #shares = new Map<Connection, number>();
  readonly #waiting = new Set<Waiter>();
  #opening = 0;
  #expiring = false;
  #refusal: Error | undefined;

  constructor(open: () => Promise<Connection>, clock: Clock = systemClock) {
    this.#open = open;
    this.#clock = clock;
  }

  /** Every connection that is open. */
  get connections(): Iterable<Connection> {
    return this.#connections;
  }

  /** Runs a single statement on a connection that carries others too, but no transaction. */
  async share<T>(work: (connection: Connection) => Promise<T>): Promise<T> {
    const taken = this.#take(false);
    const connection = taken instanceof Promise ? await taken : taken;
    try {
      return await work(connection);
    } finally {
      const left = (this.#shares.get(connection) ?? 1) - 1;
      if (left > 0) this.#shares.set(connection, left);
      else this.#rest(connection);
      if (this.#waiting.size > 0) this.#serve();
    }
  }

  /** A connection for the caller alone, until it is given back. */
  async lend(): Promise<Connection> {
    return this.#take(true);
  }

  giveBack(connection: Connection): void {
    this.#lent.delete(connection);
    this.#rest(connection);
    this.#serve();
  }

  /** Fails whatever is under way, and whatever is asked for until {@link resume}. False where it did so already. */
  refuse(error: Error): boolean {
    const news = this.#refusal === undefined;
    this.#refusal ??= error;
    for (const connection of this.#connections) connection.lose(error);
    for (const waiter of this.#waiting) waiter.reject(error);
    this.#waiting.clear();
    return news;
  }

  /** Serves again. False where it did all the time. */
  resume(): boolean {
    const news = this.#refusal !== undefined;
    this.#refusal = undefined;
    return news;
  }

  async close(): Promise<void> {
    const connections = [...this.#connections];
    this.#refusal = new Error('the database is closed');
    for (const waiter of this.#waiting) waiter.reject(this.#refusal);
    this.#waiting.clear();
    const late = new AbortController();
    const ended = Promise.all(connections.map((connection) => connection.close()));
    await Promise.race([ended, systemClock.sleep(CLOSE_MS, late.signal).catch(() => {})]);
    late.abort();
    for (const connection of connections) connection.lose(this.#refusal);
  }

  /** Nothing is under way on a connection: a worn one is closed. It counts as open until it is. */
  #rest(connection: Connection): void {
    this.#shares.delete(connection);
    if (!connection.isWorn || connection.lost) return;
    this.#lent.add(connection);
    connection.close().catch((error) => connection.lose(error));
  }

  #take(alone: boolean): Connection | Promise<Connection> {
    if (this.#refusal) return Promise.reject(this.#refusal);
    // First come, first served: else single statements would keep every connection from a transaction.
    const connection = this.#waiting.size === 0 ? this.#choose(alone) : undefined;
    return connection ? this.#hand(connection, alone) : this.#wait(alone);
  }

  #hand(connection: Connection, alone: boolean): Connection {
    if (alone) this.#lent.add(connection);
    else this.#shares.set(connection, this.#sharesOf(connection) + 1);
    return connection;
  }

  /**
   * Returns the connection with the least to do, or for `alone` one with nothing to do. If all are busy, opens another one
   * unless there are {@link POOL_SIZE}. A worn one gets no more work, so that it comes to rest under any load.
   */
  #choose(alone: boolean): Connection | undefined {
    let best: Connection | undefined;
    for (const connection of this.#connections) {
      if (this.#lent.has(connection) || connection.isWorn) continue;
      if (!best || this.#sharesOf(connection) < this.#sharesOf(best)) best = connection;
    }
    const busy = !best || this.#shares.has(best);
    if (busy) this.#openAnother();
    return alone && busy ? undefined : best;
  }

  #sharesOf(connection: Connection): number {
    return this.#shares.get(connection) ?? 0;
  }

  #wait(alone: boolean): Promise<Connection> {
    return new Promise((resolve, reject) => {
      this.#waiting.add({ alone, until: this.#clock.now().getTime() + WAIT_MS, resolve, reject });
      if (!this.#expiring) void this.#expire();
      this.#openAnother();
    });
  }

  /** Refuses those who waited too long. One timer serves all, as the first of them is the first whose time is up. */
  async #expire(): Promise<void> {
    this.#expiring = true;
    for (const waiter of this.#waiting) {
      // Never longer than that, even where the machine's clock was set back meanwhile.
      await this.#clock.sleep(Math.min(WAIT_MS, waiter.until - this.#clock.now().getTime()));
      if (!this.#waiting.delete(waiter)) continue;
      waiter.reject(new DatabaseAwayError(`no connection to the database was free within ${WAIT_MS} ms`));
    }
    this.#expiring = false;
  }

  /** Gives those who wait what there is, in their order. */
  #serve(): void {
    for (const waiter of this.#waiting) {
      const connection = this.#choose(waiter.alone);
      if (!connection) return;
      this.#waiting.delete(waiter);
      waiter.resolve(this.#hand(connection, waiter.alone));
    }
  }

  #openAnother(): void {
    if (this.#refusal || this.#connections.size + this.#opening >= POOL_SIZE) return;
    this.#opening++;
    this.#open().then(
      (connection) => {
        this.#opening--;
        this.#add(connection);
      },
      (error) => {
        this.#opening--;
        this.#fail(error);
      },
    );
  }

  #add(connection: Connection): void {
    if (this.#refusal) {
      connection.lose(this.#refusal);
      return;
    }
    // Lost between its opening and here, it would never say so again, and be handed out for ever.
    if (connection.lost) {
      this.#fail(connection.lost);
      return;
    }
    connection.onLost = () => {
      this.#connections.delete(connection);
      this.#lent.delete(connection);
      this.#shares.delete(connection);
      // Those who wait for one that is given back may wait for none.
      if (this.#waiting.size > 0) this.#openAnother();
    };
    this.#connections.add(connection);
    this.#serve();
  }

  /** Who could be served by others goes on waiting for them. */
  #fail(error: unknown): void {
    if (this.#connections.size > 0) return;
    for (const waiter of this.#waiting) waiter.reject(error);
    this.#waiting.clear();
  }
}
